// Resize: one axis after the other, every element a weighted sum of few of the input's (nearest, linear or cubic, each also
// antialiased). Coordinates and weights are computed in double with +, -, *, / and floor only: the same on every host.
#include <algorithm>
#include <cmath>
#include <utility>

#include "convert/interp/eval.h"

namespace edgeconv {
namespace {

using Taps = std::vector<std::pair<int64_t, double>>;  // input index, weight

// Where output element i lies among n input elements.
double source_position(const ResizeAttrs& a, int64_t i, int64_t n, int64_t count, double scale) {
  const double x = static_cast<double>(i), half = (x + 0.5) / scale - 0.5;
  switch (a.coordinates) {
    case ResizeAttrs::kAlignCorners: {
      const double length = scale * static_cast<double>(n);  // as ONNX has it: not rounded to a whole number of elements
      return count > 1 && length > 1 ? x * static_cast<double>(n - 1) / (length - 1) : 0;
    }
    case ResizeAttrs::kAsymmetric: return x / scale;
    case ResizeAttrs::kTorchHalfPixel: return count > 1 ? half : 0;
    case ResizeAttrs::kSymmetricHalfPixel: {
      const double length = static_cast<double>(n);
      return half + length / 2 * (1 - static_cast<double>(count) / (scale * length));
    }
    case ResizeAttrs::kHalfPixel: break;
  }
  return half;
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
Taps taps_of(const ResizeAttrs& a, int64_t i, int64_t n, int64_t count, double scale) {
  const double x = source_position(a, i, n, count, scale);
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

Tensor resize_axis(const ResizeAttrs& a, const Tensor& x, size_t axis, int64_t count, double scale) {
  std::vector<int64_t> dims = x.dims();
  const int64_t n = dims[axis];
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  dims[axis] = count;
  Tensor y(DType::kFloat, dims);
  const float* src = x.as<float>().data();
  float* dst = y.mut<float>().data();
  std::vector<Taps> taps;
  for (int64_t i = 0; i < count; ++i) taps.push_back(taps_of(a, i, n, count, scale));
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
    x = resize_axis(a, x, axis, count,
                    scales.empty() ? static_cast<double>(count) / static_cast<double>(n) : static_cast<double>(scale));
  }
  return {x.cast(type)};
}

}  // namespace edgeconv
