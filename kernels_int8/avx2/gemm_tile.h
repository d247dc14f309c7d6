// The integer inner loop of W8A16 and of attention scores on AVX2: int16 rows times int8 weights of layout N16K4 by pmaddwd, which is exact.
// Eight columns are half a panel line: 8 columns x 4 k, widened to two registers of 4 columns
// each; a lane pair per column, added up once at the end. Everything here has internal linkage.
#pragma once

#if !defined(__AVX2__)
#error "build with -mavx2"
#endif

#include <immintrin.h>
#include <string.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// acc += pairs of int16 products. Written as asm because GCC 12 spills wide tiles built from the intrinsics.
inline __attribute__((always_inline)) void mac(__m256i& acc, __m256i lhs, __m256i rhs) {
  __m256i product;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(acc), "=&x"(product) : "x"(lhs), "x"(rhs));
}

inline __attribute__((always_inline)) __m256i broadcast4(const int16_t* p) {
  long long four;
  memcpy(&four, p, sizeof(four));
  return _mm256_set1_epi64x(four);
}

// sums[r][h]: columns 8h..8h+7 of row r. rhs points at the first half line wanted; `k` is a multiple of 4.
template <int kRows, int kHalves, bool kAhead = false>
inline __attribute__((always_inline)) void accumulate(__m256i (&sums)[kRows][kHalves], const int16_t* lhs, size_t row_elements,
                                                      const int8_t* rhs, size_t k, size_t ahead = 0) {
  const int16_t* row[kRows];
  __m256i acc[kRows][2 * kHalves];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = lhs + r * row_elements;
#pragma GCC unroll 16
    for (int j = 0; j < 2 * kHalves; ++j) acc[r][j] = _mm256_setzero_si256();
  }
  for (size_t kk = 0; kk < k; kk += 4) {
    __m256i quad[2 * kHalves];
#pragma GCC unroll 16
    for (int j = 0; j < 2 * kHalves; ++j)
      quad[j] = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rhs + 16 * j)));
    if constexpr (kAhead) _mm_prefetch(rhs + ahead, _MM_HINT_T0);
    rhs += 64;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m256i lhs4 = broadcast4(row[r] + kk);
#pragma GCC unroll 16
      for (int j = 0; j < 2 * kHalves; ++j) mac(acc[r][j], lhs4, quad[j]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int h = 0; h < kHalves; ++h) {
      // hadd works within 128-bit parts: columns 0 1 4 5 | 2 3 6 7.
      sums[r][h] = _mm256_permute4x64_epi64(_mm256_hadd_epi32(acc[r][2 * h], acc[r][2 * h + 1]), 0xd8);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
