// DFT and STFT by a mixed-radix transform in double precision: not the matrices that the passes write them with.
#include <algorithm>

#include "convert/interp/eval.h"
#include "convert/interp/portable_math.h"
#include "convert/interp/strided.h"

namespace edgeconv {

namespace {

struct Complex {
  double re = 0, im = 0;
};
using Line = std::vector<Complex>;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

class Transform {
 public:
  Transform(int64_t n, bool inverse) : n_(n) {
    for (int64_t k = 0; k < n; ++k) {
      const Turn t = turn(k, n);
      roots_.push_back({t.cosine, inverse ? t.sine : -t.sine});
    }
  }
  // x has n elements; not divided by n.
  Line operator()(const Line& x) const { return part(x, 0, 1); }

 private:
  // Of the elements first, first + stride, ...
  Line part(const Line& x, int64_t first, int64_t stride) const {
    const int64_t n = n_ / stride;
    if (n == 1) return {x[static_cast<size_t>(first)]};
    const int64_t p = smallest_factor(n), m = n / p;
    Line y(static_cast<size_t>(n));
    for (int64_t r = 0; r < p; ++r) {
      const Line sub = part(x, first + r * stride, stride * p);
      for (int64_t k = 0; k < n; ++k) {
        const Complex w = roots_[static_cast<size_t>(r * k % n * stride)], v = sub[static_cast<size_t>(k % m)];
        Complex& to = y[static_cast<size_t>(k)];
        to.re += w.re * v.re - w.im * v.im;
        to.im += w.re * v.im + w.im * v.re;
      }
    }
    return y;
  }

  int64_t n_;
  Line roots_;
};

}  // namespace

Results eval_dft(const NodeInputs& c) {
  const DftAttrs& a = c.node.as<DftAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat);
  const int64_t rank = x.rank(), axis = c.axis(a.axis, rank), parts = rank ? x.dims().back() : 0;
  if (rank < 2 || axis + 1 == rank || (parts != 1 && parts != 2)) c.fail("its last axis holds real or complex numbers");
  const bool real_result = a.onesided && a.inverse;
  const int64_t size = x.dims()[static_cast<size_t>(axis)], n = c.has(1)      ? c.in(1).to_int64().at(0)
                                                                : real_result ? 2 * (size - 1)
                                                                              : size;
  if (n < 1) c.fail("its length is " + std::to_string(n));
  const int64_t bins = a.onesided && !a.inverse ? n / 2 + 1 : n, result_parts = real_result ? 1 : 2;
  Dims dims = x.dims();
  dims[static_cast<size_t>(axis)] = bins;
  dims.back() = result_parts;
  const int64_t outer = product(x.dims(), 0, static_cast<size_t>(axis)),
                inner = product(x.dims(), static_cast<size_t>(axis) + 1, static_cast<size_t>(rank) - 1);
  const Transform transform(n, a.inverse);
  Tensor out(DType::kFloat, dims);
  const float* from = x.as<float>().data();
  float* to = out.mut<float>().data();
  const int64_t read = std::min(size, real_result ? n / 2 + 1 : n);
  for (int64_t line = 0; line < outer * inner; ++line) {
    const int64_t o = line / inner, i = line % inner;
    Line v(static_cast<size_t>(n));
    for (int64_t k = 0; k < read; ++k) {
      const float* e = from + ((o * size + k) * inner + i) * parts;
      v[static_cast<size_t>(k)] = {e[0], parts == 2 ? e[1] : 0};
    }
    if (real_result) {  // the other half are the conjugates
      for (int64_t k = 1; k < n - k; ++k)
        v[static_cast<size_t>(n - k)] = {v[static_cast<size_t>(k)].re, -v[static_cast<size_t>(k)].im};
      v[0].im = 0;
      if (n % 2 == 0) v[static_cast<size_t>(n / 2)].im = 0;
    }
    const Line y = transform(v);
    const double scale = a.inverse ? static_cast<double>(n) : 1;
    for (int64_t k = 0; k < bins; ++k) {
      float* e = to + ((o * bins + k) * inner + i) * result_parts;
      e[0] = static_cast<float>(y[static_cast<size_t>(k)].re / scale);
      if (!real_result) e[1] = static_cast<float>(y[static_cast<size_t>(k)].im / scale);
    }
  }
  return {out};
}

Results eval_stft(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  if (x.rank() != 2 && x.rank() != 3) c.fail("its signal needs rank 3");
  const int64_t batch = x.dims()[0], size = x.dims()[1], parts = x.rank() == 3 ? x.dims()[2] : 1;
  const int64_t step = c.in(1).to_int64().at(0);
  const int64_t n = c.has(3) ? c.in(3).to_int64().at(0) : c.has(2) ? c.in(2).elements() : size;
  if ((parts != 1 && parts != 2) || step < 1 || n < 1 || n > size)
    c.fail("its frame is longer than the signal, or its step not positive");
  std::vector<float> window(static_cast<size_t>(n), 1.0f);
  if (c.has(2)) window = c.in(2).to_float();
  if (static_cast<int64_t>(window.size()) != n) c.fail("its window and its frames differ in length");
  const int64_t frames = (size - n) / step + 1, bins = c.node.as<StftAttrs>().onesided ? n / 2 + 1 : n;
  const Transform transform(n, false);
  Tensor out(DType::kFloat, {batch, frames, bins, 2});
  const float* from = x.as<float>().data();
  float* to = out.mut<float>().data();
  Line v(static_cast<size_t>(n));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t f = 0; f < frames; ++f) {
      for (int64_t k = 0; k < n; ++k) {
        const float* e = from + (b * size + f * step + k) * parts;
        const double w = window[static_cast<size_t>(k)];
        v[static_cast<size_t>(k)] = {w * e[0], parts == 2 ? w * e[1] : 0};
      }
      const Line y = transform(v);
      for (int64_t k = 0; k < bins; ++k) {
        *to++ = static_cast<float>(y[static_cast<size_t>(k)].re);
        *to++ = static_cast<float>(y[static_cast<size_t>(k)].im);
      }
    }
  }
  return {out};
}

}  // namespace edgeconv
