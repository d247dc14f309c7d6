// Integer sums that become fp32 by a subtraction: they start at the bits of 1.5 * 2^23, and stay the bits of that number plus their value up to 2^22. A conversion takes one pipeline
// of out-of-order cores twice as long. Internal linkage.
#pragma once

#include <arm_neon.h>

#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

constexpr int32_t kMostMagicSum = (1 << 22) - 1;
alignas(64) constexpr float kMagicSums[16] = {kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic,
                                              kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic, kRoundMagic};

// Four sums to start with, loaded, because load pipelines are free where sums start: the compiler would copy one register to all others.
inline __attribute__((always_inline)) void start_row(int32x4_t (&sums)[4]) {
  const float* magic = kMagicSums;
  __asm__ volatile("" : "+r"(magic));
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) sums[q] = vreinterpretq_s32_f32(vld1q_f32(magic + 4 * q));
}
// From an instruction of its own each, because a load is cheaper beside products than the move that the compiler makes of the second.
inline __attribute__((always_inline)) int32x4_t load_start(const int32_t* from) {
  int32x4_t start;
  __asm__ volatile("ldr %q0, %1" : "=w"(start) : "m"(*reinterpret_cast<const int32_t(*)[4]>(from)));
  return start;
}
inline __attribute__((always_inline)) float32x4_t value_of(int32x4_t sum) {
  return vsubq_f32(vreinterpretq_f32_s32(sum), vdupq_n_f32(kRoundMagic));
}

}  // namespace
}  // namespace ert::kernels
