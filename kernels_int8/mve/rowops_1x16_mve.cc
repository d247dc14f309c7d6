// Row operations of Helium: LayerNorm, softmax and sums.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/mve/fours_mve.h"
#include "kernels_int8/mve/row_parts_mve.h"

namespace ert::kernels {
namespace {

// The canonical sum of value(i, four) for i = 0, 4, .. below n, +0 where a value is absent. Its sixteen lanes are half of Helium's registers; the
// last values go by lanes in memory, so that `value` is not there four times more.
template <class Value>
inline __attribute__((always_inline)) float sum_of(size_t n, const Value& value) {
  const float32x4_t zero = vdupq_n_f32(0.0f);
  float32x4_t q0 = zero, q1 = zero, q2 = zero, q3 = zero;
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    q0 = vaddq_f32(q0, value(i, WholeFour{}));
    q1 = vaddq_f32(q1, value(i + 4, WholeFour{}));
    q2 = vaddq_f32(q2, value(i + 8, WholeFour{}));
    q3 = vaddq_f32(q3, value(i + 12, WholeFour{}));
  }
  if (i < n) {
    float32x4_t lanes[4] = {q0, q1, q2, q3};
    for (float32x4_t* four = lanes; i < n; i += 4, ++four) *four = vaddq_f32(*four, value(i, first_of_four(n - i)));
    q0 = lanes[0], q1 = lanes[1], q2 = lanes[2], q3 = lanes[3];
  }
  // Lanes i and i + 8, then 4, 2, 1 apart.
  const float32x4_t s4 = vaddq_f32(vaddq_f32(q0, q2), vaddq_f32(q1, q3));
  return (s4[0] + s4[2]) + (s4[1] + s4[3]);
}

struct Norm {
  size_t n;
  const float* residual;  // may be null
  float* sum_out;         // may be null
  bool rms;
};

// x = src (+ residual) to dst and sum_out, returns the canonical sum of x, or of x * x.
float gather_row(const Norm& a, const float* src, float* dst) {
  return sum_of(
      a.n, [&](size_t i, auto four) __attribute__((always_inline)) {
        float32x4_t x = four.load(src + i);
        if (a.residual != nullptr) x = vaddq_f32(x, four.load(a.residual + i));
        if (a.sum_out != nullptr) four.store(a.sum_out + i, x);
        four.store(dst + i, x);
        return a.rms ? vmulq_f32(x, x) : x;
      });
}

float sum_squared_differences(size_t n, const float* src, float mean) {
  return sum_of(
      n, [=](size_t i, auto four) __attribute__((always_inline)) {
        const float32x4_t d = vsubq_n_f32(four.load(src + i), mean);
        return four.zero_if_absent(vmulq_f32(d, d));
      });
}

}  // namespace

void layernorm_f32_f32_1x16_mve(size_t m, size_t n, const float* src, const float* residual, const float* gamma, const float* beta,
                                float eps, bool rms, float* dst, float* sum_out) {
  const float count = static_cast<float>(n);
  Norm a = {n, residual, sum_out, rms};
  for (; m != 0; --m, src += n, dst += n) {
    float squares = gather_row(a, src, dst);
    float mean = 0.0f;
    if (!rms) {
      mean = squares / count;
      squares = sum_squared_differences(n, dst, mean);
    }
    const float inv = 1.0f / __builtin_sqrtf(squares / count + eps);
    for_fours(
        n, [&](size_t i, auto four) __attribute__((always_inline)) {
          // Subtracting +0 changes nothing, so that rms needs no second loop.
          float32x4_t y = vmulq_n_f32(vsubq_n_f32(four.load(dst + i), mean), inv);
          y = vmulq_f32(y, four.load(gamma + i));
          if (beta != nullptr) y = vaddq_f32(y, four.load(beta + i));
          four.store(dst + i, y);
        });
    if (residual != nullptr) a.residual += n;
    if (sum_out != nullptr) a.sum_out += n;
  }
}

void softmax_f32_f32_1x16_mve(size_t m, size_t n, const float* src, float* dst) {
  for (; m != 0; --m, src += n, dst += n) {
    exp_shifted(n, src, shift_of_row(n, src), dst);
    const float sum = sum_f32_f32_1x16_mve(n, dst);
    scale_row(n, sum == 0.0f ? 0.0f : 1.0f / sum, dst);
  }
}

float sum_f32_f32_1x16_mve(size_t n, const float* src) {
  return sum_of(
      n, [=](size_t i, auto four) __attribute__((always_inline)) { return four.load(src + i); });
}

float sumsq_f32_f32_1x16_mve(size_t n, const float* src) {
  return sum_of(
      n, [=](size_t i, auto four) __attribute__((always_inline)) {
        const float32x4_t x = four.load(src + i);
        return vmulq_f32(x, x);
      });
}

}  // namespace ert::kernels
