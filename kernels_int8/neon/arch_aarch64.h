// What NEON of AArch64 does in one instruction and that of ARMv7 does not; arch_armv7.h has the same functions. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "this is the AArch64 form"
#endif

#include <arm_neon.h>

namespace ert::kernels {
namespace {

// fp32 GEMM tile of simd/gemm16.h, and the int8 tiles: 32 registers.
constexpr int kGemmRows = 6;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 3;

inline __attribute__((always_inline)) float32x4_t divide(float32x4_t a, float32x4_t b) { return vdivq_f32(a, b); }
// Nearest integer, ties to even.
inline __attribute__((always_inline)) int32x4_t nearest(float32x4_t a) { return vcvtnq_s32_f32(a); }

// Products of the low and of the high 8 bytes.
inline __attribute__((always_inline)) int16x8_t multiply_low(int8x16_t a, int8x16_t b) {
  return vmull_s8(vget_low_s8(a), vget_low_s8(b));
}
inline __attribute__((always_inline)) int16x8_t multiply_high(int8x16_t a, int8x16_t b) { return vmull_high_s8(a, b); }
inline __attribute__((always_inline)) int16x8_t add_low(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_s8(sum, vget_low_s8(a), vget_low_s8(b));
}
inline __attribute__((always_inline)) int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_high_s8(sum, a, b);
}

// Sums of neighbours: two of a, then two of b.
inline __attribute__((always_inline)) int32x4_t add_pairs(int32x4_t a, int32x4_t b) { return vpaddq_s32(a, b); }
inline __attribute__((always_inline)) float largest_of(float32x4_t a) { return vmaxvq_f32(a); }
inline __attribute__((always_inline)) float smallest_of(float32x4_t a) { return vminvq_f32(a); }

}  // namespace
}  // namespace ert::kernels
