// The parts of a row of row_parts_mve.h.
#include "kernels_int8/mve/row_parts_mve.h"

#include "kernels_int8/mve/lanes4_mve.h"
#include "kernels_int8/simd/elementary16.h"

namespace ert::kernels {
namespace {

// dst[i] = function(src[i]).
template <class Function>
ERT_LANES void map4(size_t n, const float* src, float* dst, const Function& function) {
  for (size_t i = 0; i < n; i += 4) store_first(dst + i, function(load_first(src + i, n - i)), n - i);
}

}  // namespace

float shift_of_row(size_t n, const float* src) {
  // NaN is larger than nothing.
  float32x4_t most = vdupq_n_f32(-__builtin_inff());
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t present = vctp32q(static_cast<uint32_t>(n - i));
    const float32x4_t x = vld1q_z_f32(src + i, present);
    most = vpselq_f32(x, most, vcmpgtq_m_f32(x, most, present));
  }
  const float max = vmaxnmvq_f32(-__builtin_inff(), most);
  return max == -__builtin_inff() ? 0.0f : max;
}

void scale_row(size_t n, float factor, float* dst) {
  map4(
      n, dst, dst, [=](Lanes x) __attribute__((always_inline)) { return x * broadcast(factor); });
}

void exp_shifted(size_t n, const float* src, float shift, float* dst) {
  map4(
      n, src, dst, [=](Lanes x) __attribute__((always_inline)) { return exp_or_zero(x - broadcast(shift)); });
}

void exp_of_weights(size_t n, const float* src, float shift, float* dst) {
  map4(
      n, src, dst, [=](Lanes x) __attribute__((always_inline)) { return exp_of_weight(x - broadcast(shift)); });
}

}  // namespace ert::kernels
