// The integer inner loop of ARMv8.0 and ARMv7: two products of one column and neighbouring k are added in 16 bits (smull, smlal),
// which is exact because |lhs| <= 128 and |rhs| <= 127, and 16-bit pairs then go to 32 bits (sadalp): three instructions do 16
// MACs. A 16-byte quad of N16K4 is 4 columns x 4 k, so an accumulator holds two columns in two parts, added up once at the end.
// Internal linkage.
#pragma once

#include "kernels_int8/neon/arch.h"

namespace ert::kernels {
namespace {

struct NeonSums {
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&sums)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4) {
    static_assert(kQuads <= 4, "one panel at a time");
    int32x4_t low[kRows][kQuads], high[kRows][kQuads];
    const int8_t* row[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      row[r] = lhs + static_cast<size_t>(r) * row_bytes;
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) low[r][q] = high[r][q] = vdupq_n_s32(0);
    }
    size_t kk = 0;
    for (; kk + 8 <= k4; kk += 8, rhs += 128) {
      int8x16_t even[kRows], odd[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        even[r] = next_four(&row[r]);
        odd[r] = next_four(&row[r]);
      }
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) {
        const int8x16_t first = vld1q_s8(rhs + 16 * q), second = vld1q_s8(rhs + 64 + 16 * q);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          low[r][q] = vpadalq_s16(low[r][q], add_low(multiply_low(first, even[r]), second, odd[r]));
          high[r][q] = vpadalq_s16(high[r][q], add_high(multiply_high(first, even[r]), second, odd[r]));
        }
      }
    }
    if (kk < k4) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const int8x16_t last = next_four(&row[r]);
#pragma GCC unroll 16
        for (int q = 0; q < kQuads; ++q) {
          low[r][q] = vpadalq_s16(low[r][q], multiply_low(vld1q_s8(rhs + 16 * q), last));
          high[r][q] = vpadalq_s16(high[r][q], multiply_high(vld1q_s8(rhs + 16 * q), last));
        }
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) sums[r][q] = add_pairs(low[r][q], high[r][q]);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
