// What NEON of AArch64 does in one instruction and that of ARMv7 does not; arch_armv7.h has the same functions. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "this is the AArch64 form"
#endif

#include <arm_neon.h>
#include <stdint.h>

namespace ert::kernels {
namespace {

// fp32 GEMM tile of simd/gemm16.h, and the int8 tiles: 32 registers.
constexpr int kGemmRows = 6;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 2;

inline __attribute__((always_inline)) float32x4_t divide(float32x4_t a, float32x4_t b) { return vdivq_f32(a, b); }
// Nearest integer, ties to even.
inline __attribute__((always_inline)) int32x4_t nearest(float32x4_t a) { return vcvtnq_s32_f32(a); }

// Four bytes of a row into every word of a register, and the row advanced. As asm because GCC 12 makes two instructions of it.
inline __attribute__((always_inline)) int8x16_t next_four(const int8_t** row) {
  int8x16_t bytes;
  __asm__("ld1r {%0.4s}, [%1], #4" : "=w"(bytes), "+r"(*row) : "m"(*reinterpret_cast<const int8_t(*)[4]>(*row)));
  return bytes;
}

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
