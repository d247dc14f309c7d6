// The functions of arch_aarch64.h on ARMv7. Its NEON always flushes subnormals and rounds to nearest, as the contract wants, but
// has neither division nor rounding to an integer: those are done one lane at a time, and by adding 1.5 * 2^23.
#pragma once

#if !defined(__arm__) || !defined(__ARM_NEON)
#error "build with -mfpu=neon"
#endif

#include <arm_neon.h>
#include <stdint.h>

#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

// 16 registers.
constexpr int kGemmRows = 2;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 1;

// x where it is larger than `most`; else `most`, also where x is NaN.
inline __attribute__((always_inline)) float32x4_t larger_number(float32x4_t x, float32x4_t most) {
  return vbslq_f32(vcgtq_f32(x, most), x, most);
}
inline __attribute__((always_inline)) float32x4_t divide(float32x4_t a, float32x4_t b) {
  float x[4], y[4];
  vst1q_f32(x, a);
  vst1q_f32(y, b);
  for (int i = 0; i < 4; ++i) x[i] /= y[i];
  return vld1q_f32(x);
}
// Nearest integer, ties to even, for magnitudes below 2^22.
inline __attribute__((always_inline)) int32x4_t nearest(float32x4_t a) {
  const float32x4_t magic = vdupq_n_f32(kRoundMagic);
  return vsubq_s32(vreinterpretq_s32_f32(vaddq_f32(a, magic)), vreinterpretq_s32_f32(magic));
}

// Four bytes of a row into every word of a register, and the row advanced. As asm because GCC 12 goes through a core register,
// which takes some twenty cycles on the older cores.
inline __attribute__((always_inline)) int8x16_t next_four(const int8_t** row) {
  int8x16_t bytes;
  __asm__("vld1.32 {%e0[], %f0[]}, [%1]!" : "=w"(bytes), "+r"(*row) : "m"(*reinterpret_cast<const int8_t(*)[4]>(*row)));
  return bytes;
}

constexpr int kInStep = 1;  // products of a row and a quad computed in step: there are no registers for more

inline __attribute__((always_inline)) int8x16_t load_quad(const int8_t* p) { return vld1q_s8(p); }
inline __attribute__((always_inline)) int16x8_t multiply_low(int8x16_t a, int8x16_t b) {
  return vmull_s8(vget_low_s8(a), vget_low_s8(b));
}
inline __attribute__((always_inline)) int16x8_t multiply_high(int8x16_t a, int8x16_t b) {
  return vmull_s8(vget_high_s8(a), vget_high_s8(b));
}
inline __attribute__((always_inline)) int16x8_t add_low(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_s8(sum, vget_low_s8(a), vget_low_s8(b));
}
inline __attribute__((always_inline)) int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_s8(sum, vget_high_s8(a), vget_high_s8(b));
}

inline __attribute__((always_inline)) void accumulate(int32x4_t* sums, int16x8_t a) { *sums = vpadalq_s16(*sums, a); }

inline __attribute__((always_inline)) int32x4_t add_pairs(int32x4_t a, int32x4_t b) {
  return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
}
inline __attribute__((always_inline)) float largest_of(float32x4_t a) {
  const float32x2_t two = vmax_f32(vget_low_f32(a), vget_high_f32(a));
  return vget_lane_f32(vpmax_f32(two, two), 0);
}
inline __attribute__((always_inline)) float smallest_of(float32x4_t a) {
  const float32x2_t two = vmin_f32(vget_low_f32(a), vget_high_f32(a));
  return vget_lane_f32(vpmin_f32(two, two), 0);
}

}  // namespace
}  // namespace ert::kernels
