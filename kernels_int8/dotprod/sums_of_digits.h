// What sums of six-bit digits, their products and those of the digits' sums, make in fp32. Internal linkage.
#pragma once

#include "kernels_int8/dotprod/six_bit_digits.h"
#include "kernels_int8/neon/magic_sums.h"

namespace ert::kernels {
namespace {

// Sums of short pieces begin at the bits of 1.5 * 2^23, those of both digits together at those of 1.5 * 2^29: floats of which they lie in the last places, there 64
// times as large. Taking that off is exact, and what a total is made of fits a float until the last step, which rounds as a conversion does: five operations instead of
// seven, of which one is a conversion, that takes twice as long.
constexpr size_t kRaisedDepth = 121;
static_assert(kRaisedDepth * (63 * 64 * 32 + 96 * 94) < (1 << 24), "63 * high + both");
alignas(16) constexpr int32_t kStartsOfDigits[2][2][4] = {{}, {{0x4B400000, 0x4B400000, 0x4B400000, 0x4B400000}, {0x4E400000, 0x4E400000, 0x4E400000, 0x4E400000}}};
alignas(16) constexpr int32_t kFactorsOfDigits[4] = {0x457C0000, 0x427C0000};  // 4032, 63

// high, low, both: of kQuads quads, sums of products of the high digits, of the low ones and of their sums; raised: these began at kStartsOfDigits[1].
template <int kQuads>
inline __attribute__((always_inline)) void totals_of_digits(const int32x4_t (&high)[kQuads], const int32x4_t (&low)[kQuads],
                                                            const int32x4_t (&both)[kQuads], bool raised, float32x4_t (&totals)[kQuads]) {
  if (!raised) {
    // of (64 a + b) * (64 c + d) = 4096 ac + 64 ((a + b) * (c + d) - ac - bd) + bd
#pragma GCC unroll 8
    for (int q = 0; q < kQuads; ++q) {
      const int32x4_t mixed = vsubq_s32(vsubq_s32(both[q], high[q]), low[q]);
      const int32x4_t upper = vaddq_s32(vshlq_n_s32(high[q], kDigitBits), mixed);
      totals[q] = vcvtq_f32_s32(vaddq_s32(vshlq_n_s32(upper, kDigitBits), low[q]));
    }
    return;
  }
  // The same as 4032 ac + 64 (a + b) * (c + d) - 63 bd.
  const float32x4_t digits = vreinterpretq_f32_s32(load_start(kStartsOfDigits[1][0]));
  const float32x4_t mixed = vreinterpretq_f32_s32(load_start(kStartsOfDigits[1][1]));
  const float32x4_t factors = vreinterpretq_f32_s32(load_start(kFactorsOfDigits));
  float32x4_t h[kQuads], l[kQuads];
#pragma GCC unroll 8
  for (int q = 0; q < kQuads; ++q) {
    h[q] = vsubq_f32(vreinterpretq_f32_s32(high[q]), digits);
    l[q] = vsubq_f32(vreinterpretq_f32_s32(low[q]), digits);
    totals[q] = vsubq_f32(vreinterpretq_f32_s32(both[q]), mixed);
  }
#pragma GCC unroll 8
  for (int q = 0; q < kQuads; ++q) totals[q] = vfmaq_laneq_f32(totals[q], h[q], factors, 0);
#pragma GCC unroll 8
  for (int q = 0; q < kQuads; ++q) totals[q] = vfmsq_laneq_f32(totals[q], l[q], factors, 1);
}

}  // namespace
}  // namespace ert::kernels
