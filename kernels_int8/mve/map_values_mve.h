// Results of convolutions over 8-bit maps, four at a time: the last fp32 steps of ref/map_output.h. Internal linkage.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/mve/fours_mve.h"

namespace ert::kernels {
namespace {

// What is less than zero, or -0, becomes zero, unless nothing is clamped. Vector arithmetic makes positive NaN, whatever its operands: a sign bit behind it is that of a number.
inline __attribute__((always_inline)) int32x4_t least_bits(Clamp clamp) {
  return vdupq_n_s32(clamp == Clamp::kNone ? INT32_MIN : 0);
}
inline __attribute__((always_inline)) float32x4_t at_least(float32x4_t x, int32x4_t least) {
  return vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(x), least));
}

__attribute__((noinline)) inline void below_six(size_t n, float* x) {
  for_fours(
      n, [&](size_t i, auto four) __attribute__((always_inline)) {
        const float32x4_t y = four.load(x + i), six = vdupq_n_f32(6.0f);
        four.store(x + i, vpselq_f32(six, y, vcmpgtq_f32(y, six)));
      });
}

}  // namespace
}  // namespace ert::kernels
