// The integer inner loop of ARMv8.0 and ARMv7: two products of one column and neighbouring k are added in 16 bits (smull, smlal),
// which is exact because |lhs| <= 128 and |rhs| <= 127, and 16-bit pairs then go to 32 bits (sadalp): three instructions do 16
// MACs. A 16-byte quad of N16K4 is 4 columns x 4 k, so an accumulator holds two columns in two parts, added up once at the end.
// Internal linkage.
#pragma once

#include <stddef.h>

#include "kernels_int8/neon/arch.h"

namespace ert::kernels {
namespace {

struct NeonSums {
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&sums)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4, const void* = nullptr) {
    static_assert(kQuads <= 4, "one panel at a time");
    int32x4_t low[kRows][kQuads], high[kRows][kQuads];
    const int8_t* row[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      row[r] = lhs + static_cast<size_t>(r) * row_bytes;
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) low[r][q] = high[r][q] = vdupq_n_s32(0);
    }
    // Some rows times some quads in step: all first products, all second ones, all sums, with loads in between.
    constexpr int kStepRows = kRows >= 2 && kInStep >= 2 ? 2 : 1;
    constexpr int kStepQuads = kInStep / kStepRows < kQuads ? kInStep / kStepRows : kQuads;
    size_t kk = 0;
    for (; kk + 8 <= k4; kk += 8, rhs += 128) {
      int8x16_t even[kRows], odd[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kStepRows; ++r) even[r] = next_four(&row[r]);
#pragma GCC unroll 16
      for (int q0 = 0; q0 < kQuads; q0 += kStepQuads) {
        int8x16_t first[kStepQuads], second[kStepQuads];
#pragma GCC unroll 16
        for (int q = 0; q < kStepQuads; ++q) first[q] = load_quad(rhs + 16 * (q0 + q));
        if (q0 == 0) {
#pragma GCC unroll 16
          for (int r = 0; r < kStepRows; ++r) odd[r] = next_four(&row[r]);
        }
#pragma GCC unroll 16
        for (int q = 0; q < kStepQuads; ++q) second[q] = load_quad(rhs + 64 + 16 * (q0 + q));
#pragma GCC unroll 16
        for (int r0 = 0; r0 < kRows; r0 += kStepRows) {
          const int rows = kRows - r0 < kStepRows ? kRows - r0 : kStepRows;
          const int next = q0 == 0 ? kRows - r0 - kStepRows : 0;  // rows of the next step that are still to be loaded
          int16x8_t sums_low[kStepRows][kStepQuads], sums_high[kStepRows][kStepQuads];
#pragma GCC unroll 16
          for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
            for (int q = 0; q < kStepQuads; ++q) {
              sums_low[r][q] = multiply_low(first[q], even[r0 + r]);
              sums_high[r][q] = multiply_high(first[q], even[r0 + r]);
            }
          }
#pragma GCC unroll 16
          for (int r = 0; r < kStepRows && r < next; ++r) even[r0 + kStepRows + r] = next_four(&row[r0 + kStepRows + r]);
#pragma GCC unroll 16
          for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
            for (int q = 0; q < kStepQuads; ++q) {
              sums_low[r][q] = add_low(sums_low[r][q], second[q], odd[r0 + r]);
              sums_high[r][q] = add_high(sums_high[r][q], second[q], odd[r0 + r]);
            }
          }
#pragma GCC unroll 16
          for (int r = 0; r < kStepRows && r < next; ++r) odd[r0 + kStepRows + r] = next_four(&row[r0 + kStepRows + r]);
#pragma GCC unroll 16
          for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
            for (int q = 0; q < kStepQuads; ++q) {
              accumulate(&low[r0 + r][q0 + q], sums_low[r][q]);
              accumulate(&high[r0 + r][q0 + q], sums_high[r][q]);
            }
          }
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
