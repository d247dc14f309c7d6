// The integer inner loop with smmla: 2 rows x 2 columns x 8 k an instruction. A quad of N16K4 holds 4 columns x 4 k, so two lines
// are interleaved into the pairs of columns that smmla wants; N8K8 holds such pairs. Rows are interleaved two by two, unless quantize_pairs has done
// it. Internal linkage.
#pragma once

#ifndef __ARM_FEATURE_MATMUL_INT8
#error "build with -march=armv8.2-a+dotprod+i8mm"
#endif

#include <arm_neon.h>
#include <string.h>

#include "kernels_int8/i8mm/pair_format.h"
#include "kernels_int8/neon/gemm_rows.h"

namespace ert::kernels {
namespace {

template <Layout layout, bool kPaired = false>
struct MatrixSumsOf {
  static constexpr bool kPairs8 = layout == Layout::kN8K8;

  // Rows in pairs; an odd last row is paired with itself.
  template <int kRows, int kQuads>
  struct Tile {
    static constexpr int kPairs = (kRows + 1) / 2;
    int32x4_t acc[kPairs][2 * kQuads];  // rows 2p and 2p + 1 times columns 2c and 2c + 1

    // acc += rows a times columns b. Written as asm for the same reason as in dotprod/gemm_tile.h.
    static inline __attribute__((always_inline)) void mac(int32x4_t& acc, int8x16_t a, int8x16_t b) {
      __asm__("smmla %0.4s, %1.16b, %2.16b" : "+w"(acc) : "w"(a), "w"(b));
    }
    // Eight k: two lines of weights, the second of which may be beyond the end.
    inline __attribute__((always_inline)) void step(const int8x16_t (&a)[kPairs], const int8_t* rhs, bool both) {
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) {
        if constexpr (kPairs8) {
          const int8x16_t left = vld1q_s8(rhs + 32 * q), right = vld1q_s8(rhs + 32 * q + 16);
#pragma GCC unroll 16
          for (int p = 0; p < kPairs; ++p) {
            mac(acc[p][2 * q], a[p], left);
            mac(acc[p][2 * q + 1], a[p], right);
          }
          continue;
        }
        const int32x4_t first = vreinterpretq_s32_s8(vld1q_s8(rhs + 16 * q));
        const int32x4_t second = both ? vreinterpretq_s32_s8(vld1q_s8(rhs + 64 + 16 * q)) : vdupq_n_s32(0);
        const int8x16_t left = vreinterpretq_s8_s32(vzip1q_s32(first, second));
        const int8x16_t right = vreinterpretq_s8_s32(vzip2q_s32(first, second));
#pragma GCC unroll 16
        for (int p = 0; p < kPairs; ++p) {
          mac(acc[p][2 * q], a[p], left);
          mac(acc[p][2 * q + 1], a[p], right);
        }
      }
    }
  };

  static constexpr size_t kEightK = kPairs8 ? 64 : 128;  // bytes of eight k of a panel

  template <int kRows, class T>
  static inline __attribute__((always_inline)) void sum_rows(T& t, const int8_t* lhs, size_t row_bytes, const int8_t* rhs, size_t k4) {
    const auto row = [&](int r) { return lhs + static_cast<size_t>(r < kRows ? r : kRows - 1) * row_bytes; };
    size_t kk = 0;
    for (; kk + 16 <= k4; kk += 16, rhs += 2 * kEightK) {
      int8x16_t first[T::kPairs], second[T::kPairs];
#pragma GCC unroll 16
      for (int p = 0; p < T::kPairs; ++p) {
        const int64x2_t even = vreinterpretq_s64_s8(vld1q_s8(row(2 * p) + kk));
        const int64x2_t odd = vreinterpretq_s64_s8(vld1q_s8(row(2 * p + 1) + kk));
        first[p] = vreinterpretq_s8_s64(vzip1q_s64(even, odd));
        second[p] = vreinterpretq_s8_s64(vzip2q_s64(even, odd));
      }
      t.step(first, rhs, true);
      t.step(second, rhs + kEightK, true);
    }
    for (; kk < k4; kk += 8, rhs += kEightK) {
      int8x16_t a[T::kPairs];
#pragma GCC unroll 16
      for (int p = 0; p < T::kPairs; ++p) a[p] = vcombine_s8(vld1_s8(row(2 * p) + kk), vld1_s8(row(2 * p + 1) + kk));
      t.step(a, rhs, kk + 8 <= k4);
    }
  }

  // The halves of pair_format.h one after the other. A last row without a second one lies as it is.
  template <int kRows, class T>
  static inline __attribute__((always_inline)) void sum_pairs(T& t, const int8_t* lhs, size_t row_bytes, const int8_t* rhs, size_t k4) {
    constexpr int kWhole = kRows / 2;
    const size_t half = half_of_row(k4);
    for (size_t kk = 0; kk < k4; lhs += row_bytes) {  // twice at most
      const size_t end = kk == 0 && half < k4 ? half : k4;
      const int8_t* pairs = lhs;
      const int8_t* single = lhs + 2 * kWhole * row_bytes - (kk == 0 ? 0 : row_bytes) + kk;
      for (; kk < end; kk += 8, rhs += kEightK, pairs += 16, single += 8) {
        int8x16_t a[T::kPairs];
#pragma GCC unroll 16
        for (int p = 0; p < kWhole; ++p) a[p] = vld1q_s8(pairs + 2 * static_cast<size_t>(p) * row_bytes);
        if constexpr (kRows % 2 != 0) {
          const int8x8_t row = vld1_s8(single);
          a[kWhole] = vcombine_s8(row, row);
        }
        t.step(a, rhs, kk + 8 <= k4);
      }
    }
  }

  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&sums)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4, const void* = nullptr) {
    static_assert(kQuads <= (kPairs8 ? 2 : 4), "one panel at a time");
    using T = Tile<kRows, kQuads>;
    T t;
#pragma GCC unroll 16
    for (int p = 0; p < T::kPairs; ++p) {
#pragma GCC unroll 16
      for (int c = 0; c < 2 * kQuads; ++c) t.acc[p][c] = vdupq_n_s32(0);
    }
    if constexpr (kPaired) {
      sum_pairs<kRows>(t, lhs, row_bytes, rhs, k4);
    } else {
      sum_rows<kRows>(t, lhs, row_bytes, rhs, k4);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) {
        const int64x2_t left = vreinterpretq_s64_s32(t.acc[r / 2][2 * q]), right = vreinterpretq_s64_s32(t.acc[r / 2][2 * q + 1]);
        sums[r][q] = vreinterpretq_s32_s64(r % 2 == 0 ? vzip1q_s64(left, right) : vzip2q_s64(left, right));
      }
    }
  }
};
using MatrixSums = MatrixSumsOf<Layout::kN16K4>;

// Tiles of up to 8 rows x 8 columns; entry r - 1 does r rows.
template <class Rows, class Sums>
struct EightRows {
  static constexpr TileFn kTiles[] = {Rows::template tile<Sums, 1, 2>, Rows::template tile<Sums, 2, 2>, Rows::template tile<Sums, 3, 2>,
                                      Rows::template tile<Sums, 4, 2>, Rows::template tile<Sums, 5, 2>, Rows::template tile<Sums, 6, 2>,
                                      Rows::template tile<Sums, 7, 2>, Rows::template tile<Sums, 8, 2>};
};

// gemm_columns for rows of either kind.
template <class Rows, Layout layout, Layout panels = layout, class Prepare = NoPreparation>
inline void gemm_of_eights(const GemmArgs& g, const Prepare& prepare = {}) {
  if (g.paired) {
    gemm_columns<8, LastGroup::kCut, layout, nullptr, 2>(EightRows<Rows, MatrixSumsOf<panels, true>>::kTiles, g, 0, prepare);
  } else {
    gemm_columns<8, LastGroup::kCut, layout>(EightRows<Rows, MatrixSumsOf<panels>>::kTiles, g, 0, prepare);
  }
}

}  // namespace
}  // namespace ert::kernels
