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

// x where it is larger than `most`; else `most`, also where x is NaN.
inline __attribute__((always_inline)) float32x4_t larger_number(float32x4_t x, float32x4_t most) { return vmaxnmq_f32(x, most); }
inline __attribute__((always_inline)) float32x4_t divide(float32x4_t a, float32x4_t b) { return vdivq_f32(a, b); }
// Nearest integer, ties to even.
inline __attribute__((always_inline)) int32x4_t nearest(float32x4_t a) { return vcvtnq_s32_f32(a); }

// The int8 tile in the order of its source: in-order cores wait for a product that the next instruction reads, and GCC 12 loads too
// late and hoists so many products that sums spill. Hence volatile asm, which keeps its order.
constexpr int kInStep = 4;  // products of a row and a quad computed in step

// Four bytes of a row into every word of a register, and the row advanced.
inline __attribute__((always_inline)) int8x16_t next_four(const int8_t** row) {
  int8x16_t bytes;
  __asm__ volatile("ld1r {%0.4s}, [%1], #4" : "=w"(bytes), "+r"(*row) : "m"(*reinterpret_cast<const int8_t(*)[4]>(*row)));
  return bytes;
}
inline __attribute__((always_inline)) int8x16_t load_quad(const int8_t* p) { return vld1q_s8(p); }

// Products of the low and of the high 8 bytes.
inline __attribute__((always_inline)) int16x8_t multiply_low(int8x16_t a, int8x16_t b) {
  int16x8_t product;
  __asm__ volatile("smull %0.8h, %1.8b, %2.8b" : "=w"(product) : "w"(a), "w"(b));
  return product;
}
inline __attribute__((always_inline)) int16x8_t multiply_high(int8x16_t a, int8x16_t b) {
  int16x8_t product;
  __asm__ volatile("smull2 %0.8h, %1.16b, %2.16b" : "=w"(product) : "w"(a), "w"(b));
  return product;
}
inline __attribute__((always_inline)) int16x8_t add_low(int16x8_t sum, int8x16_t a, int8x16_t b) {
  __asm__ volatile("smlal %0.8h, %1.8b, %2.8b" : "+w"(sum) : "w"(a), "w"(b));
  return sum;
}
inline __attribute__((always_inline)) int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) {
  __asm__ volatile("smlal2 %0.8h, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b));
  return sum;
}
inline __attribute__((always_inline)) void accumulate(int32x4_t* sums, int16x8_t a) {
  __asm__ volatile("sadalp %0.4s, %1.8h" : "+w"(*sums) : "w"(a));
}

// Times lane kLane of b. The compiler would copy the lane to a register of its own.
template <int kLane>
inline __attribute__((always_inline)) float32x4_t times_lane(float32x4_t a, float32x4_t b) {
  float32x4_t product;
  __asm__("fmul %0.4s, %1.4s, %2.s[%3]" : "=w"(product) : "w"(a), "w"(b), "i"(kLane));
  return product;
}
// Eight floats side by side in one instruction, which the compiler finds for some addresses only.
inline __attribute__((always_inline)) void store_pair(float* dst, float32x4_t left, float32x4_t right) {
  __asm__("stp %q1, %q2, [%3]" : "=m"(*reinterpret_cast<float(*)[8]>(dst)) : "w"(left), "w"(right), "r"(dst));
}
inline __attribute__((always_inline)) void store_pair(int8_t* dst, int8x16_t left, int8x16_t right) {
  __asm__("stp %q1, %q2, [%3]" : "=m"(*reinterpret_cast<int8_t(*)[32]>(dst)) : "w"(left), "w"(right), "r"(dst));
}

// Sums of neighbours: two of a, then two of b.
inline __attribute__((always_inline)) int32x4_t add_pairs(int32x4_t a, int32x4_t b) { return vpaddq_s32(a, b); }
inline __attribute__((always_inline)) float largest_of(float32x4_t a) { return vmaxvq_f32(a); }
inline __attribute__((always_inline)) float smallest_of(float32x4_t a) { return vminvq_f32(a); }

}  // namespace
}  // namespace ert::kernels
