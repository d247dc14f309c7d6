// MaxPool (with indices) and AveragePool: one tap of a whole line of windows after the other.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "convert/interp/eval.h"
#include "convert/interp/windows.h"

namespace edgeconv {
namespace {

// Taps of each window that count: inside the image, or, with the padding, inside the declared one, too (not beyond it, where ceil mode reaches).
std::vector<float> counted_taps(const Windows& w, bool with_padding) {
  std::vector<int64_t> counted{1};
  for (size_t i = 0; i < w.size.size(); ++i) {
    std::vector<int64_t> next;
    for (const int64_t before : counted)
      for (int64_t at = 0; at < w.count[i]; ++at) {
        int64_t along = 0;
        for (int64_t k = 0; k < w.kernel[i]; ++k) {
          const int64_t p = at * w.stride[i] - w.lead[i] + k * w.dilation[i];
          along += with_padding ? p < w.size[i] + w.trail[i] : p >= 0 && p < w.size[i];
        }
        next.push_back(before * along);
      }
    counted = std::move(next);
  }
  return {counted.begin(), counted.end()};
}

// Taps of one image, those of each window in row-major order.
class LinesOfTaps {
 public:
  explicit LinesOfTaps(const Windows& w) : w_(w), lines_(image_lines(w)) {
    for (int64_t k = 0; k < w.kernel.back(); ++k) reach_.push_back(reach_of(w, k));
  }

  // f(first window, position in the image of its tap, how many windows follow each other, how far their taps are apart)
  template <class F>
  void each(F&& f) const {
    // A stride that the compiler knows makes vectors of the loop.
    const int64_t stride = w_.stride.back();
    if (stride == 1)
      each_apart(std::integral_constant<int64_t, 1>(), f);
    else if (stride == 2)
      each_apart(std::integral_constant<int64_t, 2>(), f);
    else
      each_apart(stride, f);
  }

 private:
  template <class Stride, class F>
  void each_apart(Stride stride, F& f) const {
    const int64_t width = w_.count.back();
    for (size_t line = 0; line < lines_.size(); ++line)
      for (const int64_t row : lines_[line]) {
        if (row < 0) continue;
        for (size_t k = 0; k < reach_.size(); ++k) {
          const auto [first, end] = reach_[k];
          const int64_t tap = static_cast<int64_t>(k) * w_.dilation.back() - w_.lead.back();
          f(static_cast<int64_t>(line) * width + first, row * w_.size.back() + first * stride + tap, end - first, stride);
        }
      }
  }

  const Windows& w_;
  std::vector<std::vector<int64_t>> lines_;
  std::vector<Reach> reach_;
};

// NaN is more than any number.
bool is_more(float x, float than) { return (x > than) | (x != x); }

}  // namespace

Results eval_pool(const NodeInputs& c) {
  const ConvAttrs& a = c.node.as<ConvAttrs>();
  const bool max = c.node.kind == OpKind::kMaxPool;
  const DType type = c.in(0).dtype();
  const Tensor x = c.in(0).cast(DType::kFloat);  // 8-bit values are exact in fp32
  if (x.rank() < 3) c.fail("needs spatial axes");
  const Windows w = plan_windows(c, a, Dims(x.dims().begin() + 2, x.dims().end()), a.kernel);
  Dims dims{x.dims()[0], x.dims()[1]};
  dims.insert(dims.end(), w.count.begin(), w.count.end());
  const int64_t images = dims[0] * dims[1], area = product(w.size), positions = product(w.count);
  Tensor out(DType::kFloat, dims);
  const bool tells = max && c.node.outputs.size() > 1 && c.node.outputs[1] != kNone;
  std::vector<int64_t> indices(tells ? static_cast<size_t>(images * positions) : 0);  // twice the map's memory
  const std::vector<float> divisors = max || a.sum ? std::vector<float>() : counted_taps(w, a.count_include_pad);
  const LinesOfTaps taps(w);
  float* d = out.mut<float>().data();
  for (int64_t m = 0; m < images; ++m, d += positions) {
    const float* image = x.as<float>().data() + m * area;
    if (max) std::fill_n(d, positions, -INFINITY);
    if (tells) {
      int64_t* where = indices.data() + m * positions;
      std::fill_n(where, positions, m * area);
      taps.each([&](int64_t first, int64_t from, int64_t count, auto stride) {
        for (int64_t i = 0; i < count; ++i)
          if (const float v = image[from + i * stride]; is_more(v, d[first + i])) d[first + i] = v, where[first + i] = m * area + from + i * stride;
      });
    } else if (max) {
      taps.each([&](int64_t first, int64_t from, int64_t count, auto stride) {
        float* best = d + first;
        const float* v = image + from;
        for (int64_t i = 0; i < count; ++i) best[i] = is_more(v[i * stride], best[i]) ? v[i * stride] : best[i];
      });
    } else {
      taps.each([&](int64_t first, int64_t from, int64_t count, auto stride) {
        float* sum = d + first;
        const float* v = image + from;
        for (int64_t i = 0; i < count; ++i) sum[i] += v[i * stride];
      });
      for (size_t i = 0; i < divisors.size(); ++i) d[i] /= divisors[i];
    }
  }
  Results r{out.cast(type)};
  if (tells) r.push_back(Tensor::ints(indices).reshaped(dims));
  return r;
}

}  // namespace edgeconv
