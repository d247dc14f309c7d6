// The integer inner loop of W8A16 and of the values of attention on SSE4.1: int16 rows times int8 weights of layout N16K4 by pmaddwd, which is
// exact. Four columns are a quarter of a panel line: 4 columns x 4 k, widened to two registers of 2 columns each; a lane pair per column,
// added up once at the end. Everything here has internal linkage.
#pragma once

#ifndef __SSE4_1__
#error "build with -mssse3 -msse4.1"
#endif

#include <smmintrin.h>
#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {
namespace {

// Four values of one row times four columns. Asm because GCC 12 keeps a sum of a wide tile in memory, and then each step waits for its store.
inline __attribute__((always_inline)) void add_four(__m128i (&acc)[2], const int16_t* lhs, __m128i first, __m128i second) {
  __m128i t, u;
  __asm__(
      "movddup %[four], %[t]\n\tmovdqa %[t], %[u]\n\tpmaddwd %[first], %[t]\n\tpmaddwd %[second], %[u]\n\t"
      "paddd %[t], %[a0]\n\tpaddd %[u], %[a1]"
      : [a0] "+x"(acc[0]), [a1] "+x"(acc[1]), [t] "=&x"(t), [u] "=&x"(u)
      : [four] "m"(*reinterpret_cast<const int16_t(*)[4]>(lhs)), [first] "x"(first), [second] "x"(second));
}

// sums[r]: four columns of row r. rhs points at their part of the first line; `k` is a multiple of 4.
template <int kRows>
inline __attribute__((always_inline)) void accumulate(__m128i (&sums)[kRows], const int16_t* lhs, size_t row_elements,
                                                      const int8_t* rhs, size_t k) {
  __m128i acc[kRows][2];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
    __asm__ volatile("pxor %0, %0\n\tpxor %1, %1" : "=x"(acc[r][0]), "=x"(acc[r][1]));  // zeros that GCC cannot merge
  for (size_t kk = 0; kk < k; kk += 4, rhs += 64) {
    const __m128i quad = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rhs));
    const __m128i first = _mm_cvtepi8_epi16(quad), second = _mm_cvtepi8_epi16(_mm_srli_si128(quad, 8));
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) add_four(acc[r], lhs + static_cast<size_t>(r) * row_elements + kk, first, second);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) sums[r] = _mm_hadd_epi32(acc[r][0], acc[r][1]);
}

}  // namespace
}  // namespace ert::kernels
