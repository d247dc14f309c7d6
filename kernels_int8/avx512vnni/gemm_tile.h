// The integer inner loop shared by the AVX512-VNNI GEMMs: a tile of kRows quantized rows times kPanels panels of N16K4
// weights, accumulated in registers over the whole K. Included by several translation units: everything here has
// internal linkage.
#pragma once

#include <string.h>

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// acc[p] += u8 x s8 over groups of four, for one row of a tile. In asm because GCC 12 spills wide tiles built from the
// intrinsic, and a row at once because it copies accumulators around the single instructions.
template <int kPanels>
inline __attribute__((always_inline)) void mac_row(__m512i (&acc)[kPanels], const uint8_t* lhs, const __m512i (&line)[kPanels]) {
  int32_t word;
  memcpy(&word, lhs, sizeof(word));
  const __m512i a = _mm512_set1_epi32(word);
  if constexpr (kPanels == 3) {
    __asm__("vpdpbusd %4, %3, %0\n\tvpdpbusd %5, %3, %1\n\tvpdpbusd %6, %3, %2"
            : "+v"(acc[0]), "+v"(acc[1]), "+v"(acc[2])
            : "v"(a), "v"(line[0]), "v"(line[1]), "v"(line[2]));
  } else {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc[p]) : "v"(a), "v"(line[p]));
  }
}

// Zero that the compiler cannot merge with other zeros: accumulators that start as one value are copied in the loop.
inline __attribute__((always_inline)) __m512i zero() {
  __m512i x;
  __asm__ volatile("vpxord %0, %0, %0" : "=v"(x));
  return x;
}

// Rows lhs + r * row_bytes, panels rhs + p * panel_bytes, `k` rounded up to 4 by the caller. The lines of kAhead panels that
// begin `ahead` bytes further on are on their way to the near cache afterwards.
template <int kRows, int kPanels, int kAhead = 0>
inline __attribute__((always_inline)) void accumulate(__m512i (&acc)[kRows][kPanels], const uint8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t panel_bytes, size_t k, size_t ahead = 0) {
  const uint8_t* row[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = lhs + r * row_bytes;
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = zero();
  }
  for (size_t kk = 0; kk < k; kk += 4) {
    __m512i line[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(rhs + p * panel_bytes);
    if constexpr (kAhead != 0) {
#pragma GCC unroll 16
      for (int p = 0; p < kAhead; ++p) _mm_prefetch(rhs + p * panel_bytes + ahead, _MM_HINT_T0);
    }
    rhs += 64;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) mac_row<kPanels>(acc[r], row[r] + kk, line);
  }
}

// A tile waits for weights that lie behind the near cache; the hardware's prefetchers do not run far enough ahead. So blocks of rows
// behind the first fetch the next group of three panels while they multiply: one panel each in the second to fourth of four
// blocks or more, which is as fast as memory delivers, else all in the second (a first and only one would rather slow itself
// down). Returns how many panels the block at `row` of m fetches, the first of which is first_panel_ahead.
inline int panels_ahead(size_t m, size_t row, size_t max_rows) {
  const bool many = m > 3 * max_rows;
  if (row == 0 || row > (many ? 3 : 1) * max_rows) return 0;
  return many ? 1 : 3;
}
inline size_t first_panel_ahead(int panels, size_t row, size_t max_rows) { return panels == 1 ? (row - 1) / max_rows : 0; }

// Columns of one panel group: how many are real (the last panel may be stored in part) and their epilogue parameters.
template <int kPanels>
struct ColumnParams {
  __mmask16 mask[kPanels];
  __m512 scale[kPanels];
  __m512 bias[kPanels];
  __m512i colsum[kPanels];

  inline __attribute__((always_inline)) void load(const PackedWeights& w, size_t column, size_t columns) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const size_t left = columns - 16 * p;
      mask[p] = left >= 16 ? 0xffff : static_cast<__mmask16>((1u << left) - 1);
      const size_t c = column + 16 * p;
      scale[p] = _mm512_maskz_loadu_ps(mask[p], w.scale + c);
      colsum[p] = _mm512_maskz_loadu_epi32(mask[p], w.colsum + c);
      // x + -0 is x for every x, so a missing bias needs no second form.
      bias[p] = w.bias != nullptr ? _mm512_maskz_loadu_ps(mask[p], w.bias + c) : _mm512_set1_ps(-0.0f);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
