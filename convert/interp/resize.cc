// Resize: one axis after the other, every element a weighted sum of few of the input's (nearest, linear or cubic, each also
// antialiased). Coordinates and weights are computed with +, -, *, / and floor only: the same on every host. Coordinates are
// exact where whole numbers express them; where a scale of the file is not the quotient of the sizes, and in rare modes, they are fp32, as ONNX Runtime has
// them: 8 / 1.6 is 5 there, and 4.99999963 in double.
#include <algorithm>
#include <cmath>
#include <utility>

#include "convert/interp/eval.h"

namespace edgeconv {
namespace {

using Taps = std::vector<std::pair<int64_t, double>>;  // input index, weight

// One axis: n elements become count.
struct Axis {
  int64_t n, count;
  float scale;  // of the file, where it is not count / n; else 0

  double factor() const { return scale != 0 ? static_cast<double>(scale) : static_cast<double>(count) / static_cast<double>(n); }
};

// x of the result among the elements of the input, rounded once.
double in_input(const Axis& axis, double x) { return x * static_cast<double>(axis.n) / static_cast<double>(axis.count); }
float in_input(const Axis& axis, float x) { return x / static_cast<float>(axis.factor()); }

// Where output element i lies among the input's. Corners are aligned whatever the scale: in ONNX's text by the sizes, and so in PyTorch and ONNX Runtime;
// its reference takes n * scale for the size, which is wrong for what PyTorch exports.
template <class Real>
Real source_position(const ResizeAttrs& a, int64_t i, const Axis& axis) {
  const Real x = static_cast<Real>(i), n = static_cast<Real>(axis.n), count = static_cast<Real>(axis.count);
  const Real half = in_input(axis, x + Real(0.5)) - Real(0.5);
  switch (a.coordinates) {
    case ResizeAttrs::kAlignCorners: return axis.count > 1 ? x * (n - 1) / (count - 1) : 0;
    case ResizeAttrs::kAsymmetric: return in_input(axis, x);
    case ResizeAttrs::kTorchHalfPixel: return axis.count > 1 ? half : 0;
    case ResizeAttrs::kSymmetricHalfPixel: {
      const Real offset = n / 2 * (1 - count / (static_cast<Real>(axis.factor()) * n));
      return offset + in_input(axis, x + Real(0.5)) - Real(0.5);
    }
    case ResizeAttrs::kHalfPixel: break;
  }
  return half;
}

// Positions that whole numbers express, and so the runtime where sizes are dynamic (passes/decompose_resize.cc), are exact.
bool is_exact(const ResizeAttrs& a, const Axis& axis) {
  if (axis.scale != 0 || a.mode != ResizeAttrs::kNearest) return axis.scale == 0;
  if (a.coordinates == ResizeAttrs::kAsymmetric) return a.rounding == ResizeAttrs::kFloor;
  const bool rounds = a.rounding == ResizeAttrs::kPreferFloor || a.rounding == ResizeAttrs::kPreferCeil;
  return rounds && (a.coordinates == ResizeAttrs::kHalfPixel || a.coordinates == ResizeAttrs::kTorchHalfPixel);
}

int64_t nearest(const ResizeAttrs& a, double x) {
  const double below = std::floor(x);
  const double up = below == x ? below : below + 1;
  switch (a.rounding) {
    case ResizeAttrs::kFloor: return static_cast<int64_t>(below);
    case ResizeAttrs::kCeil: return static_cast<int64_t>(up);
    case ResizeAttrs::kPreferCeil: return static_cast<int64_t>(x - below >= 0.5 ? up : below);
    case ResizeAttrs::kPreferFloor: break;
  }
  return static_cast<int64_t>(x - below > 0.5 ? up : below);
}

double filter(const ResizeAttrs& a, double distance) {
  const double d = std::fabs(distance), k = static_cast<double>(a.cubic_a);
  if (a.mode == ResizeAttrs::kLinear) return std::max(0.0, 1 - d);
  if (d <= 1) return ((k + 2) * d - (k + 3)) * d * d + 1;
  return d < 2 ? ((k * d - 5 * k) * d + 8 * k) * d - 4 * k : 0;
}

// What output element i takes from the n input elements. Indices beyond the ends mean the elements at the ends.
Taps taps_of(const ResizeAttrs& a, int64_t i, const Axis& axis) {
  const double x = is_exact(a, axis) ? source_position<double>(a, i, axis) : static_cast<double>(source_position<float>(a, i, axis));
  const double scale = axis.factor();
  const int64_t n = axis.n;
  if (a.mode == ResizeAttrs::kNearest) return {{std::clamp<int64_t>(nearest(a, x), 0, n - 1), 1.0}};
  const double narrow = a.antialias ? std::min(scale, 1.0) : 1.0;
  const double reach = (a.mode == ResizeAttrs::kLinear ? 1 : 2) / narrow, base = std::floor(x);
  const int64_t first = static_cast<int64_t>(base + std::floor(-reach) + 1),
                last = static_cast<int64_t>(base - std::floor(-reach));
  Taps taps;
  double sum = 0;
  for (int64_t k = first; k <= last; ++k) {
    double w = filter(a, (static_cast<double>(k) - x) * narrow);
    if (a.exclude_outside && (k < 0 || k >= n)) w = 0;
    sum += w;
    taps.emplace_back(std::clamp<int64_t>(k, 0, n - 1), w);
  }
  if ((a.antialias || a.exclude_outside) && sum != 0)
    for (auto& [index, w] : taps) w /= sum;
  return taps;
}

Tensor resize_axis(const ResizeAttrs& a, const Tensor& x, size_t axis, int64_t count, float scale) {
  std::vector<int64_t> dims = x.dims();
  const int64_t n = dims[axis];
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  dims[axis] = count;
  Tensor y(DType::kFloat, dims);
  const float* src = x.as<float>().data();
  float* dst = y.mut<float>().data();
  std::vector<Taps> taps;
  for (int64_t i = 0; i < count; ++i) taps.push_back(taps_of(a, i, {n, count, scale}));
  const bool copies = std::all_of(taps.begin(), taps.end(), [](const Taps& t) { return t.size() == 1 && t[0].second == 1; });
  for (int64_t o = 0; o < outer; ++o, src += n * inner)
    for (const Taps& t : taps) {
      if (copies) {
        const float* row = src + t[0].first * inner;
        for (int64_t k = 0; k < inner; ++k) *dst++ = row[k] + 0.0f;  // as a sum: of a negative zero, zero
        continue;
      }
      for (int64_t k = 0; k < inner; ++k) {
        double sum = 0;
        for (const auto& [index, w] : t) sum += w * static_cast<double>(src[index * inner + k]);
        *dst++ = static_cast<float>(sum);
      }
    }
  return y;
}

}  // namespace

Results eval_resize(const NodeInputs& c) {
  const ResizeAttrs& a = c.node.as<ResizeAttrs>();
  const DType type = c.in(0).dtype();
  Tensor x = c.in(0).cast(DType::kFloat);
  std::vector<int64_t> axes = a.axes;
  if (axes.empty())
    for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  const std::vector<int64_t> sizes = c.has(2) ? c.in(2).to_int64() : std::vector<int64_t>();
  const std::vector<float> scales = c.has(2) ? std::vector<float>() : c.in(1).to_float();
  if (sizes.size() + scales.size() != axes.size()) c.fail("scales or sizes do not fit the axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = static_cast<size_t>(c.axis(axes[i], x.rank()));
    const int64_t n = x.dims()[axis];
    const float scale = scales.empty() ? 0 : scales[i];
    const int64_t count = scales.empty() ? sizes[i] : static_cast<int64_t>(std::floor(static_cast<float>(n) * scale));
    if (n < 1 || count < 1) c.fail("an axis has no elements");
    if (count == n && (scales.empty() || scale == 1)) continue;
    const bool is_quotient = scales.empty() || static_cast<float>(n) * scale == static_cast<float>(count);
    x = resize_axis(a, x, axis, count, is_quotient ? 0 : scale);
  }
  return {x.cast(type)};
}

}  // namespace edgeconv
