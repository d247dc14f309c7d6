// The integer inner loop shared by the AVX512-VNNI GEMMs: a tile of kRows quantized rows times kPanels panels of N16K4
// weights, accumulated in registers over the whole K. Included by several translation units: everything here has
// internal linkage.
#pragma once

#include <string.h>

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/kernel_table.h"

namespace ert::kernels {
namespace {

// acc += u8 x s8 over groups of four. Written as asm because GCC 12 spills wide tiles built from the intrinsic.
inline __attribute__((always_inline)) void mac(__m512i& acc, __m512i lhs_u8, __m512i rhs_s8) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(lhs_u8), "v"(rhs_s8));
}

inline __attribute__((always_inline)) __m512i broadcast4(const uint8_t* p) {
  int32_t word;
  memcpy(&word, p, sizeof(word));
  return _mm512_set1_epi32(word);
}

// Rows lhs + r * row_bytes, panels rhs + p * panel_bytes, `k` rounded up to 4 by the caller.
template <int kRows, int kPanels>
inline __attribute__((always_inline)) void accumulate(__m512i (&acc)[kRows][kPanels], const uint8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t panel_bytes, size_t k) {
  const uint8_t* row[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = lhs + r * row_bytes;
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = _mm512_setzero_si512();
  }
  for (size_t kk = 0; kk < k; kk += 4) {
    __m512i line[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(rhs + p * panel_bytes);
    rhs += 64;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i lhs4 = broadcast4(row[r] + kk);
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) mac(acc[r][p], lhs4, line[p]);
    }
  }
}

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
