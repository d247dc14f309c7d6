// fp32 products with one column of weights, as of a scorer, or a few: sixteen rows of the left side at a time, one a lane, because a panel of columns would
// have few lanes of sixteen. Each sum goes in the order of k.
#pragma once

#include <stddef.h>

#include "kernels_int8/avx512vnni/intrinsics.h"

namespace ert::kernels {
namespace {

// Lane r of column[j] is element j of row r.
inline __attribute__((always_inline)) void transpose16(const __m512 (&row)[16], __m512 (&column)[16]) {
  __m512 pairs[16], fours[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_ps(row[i], row[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_ps(row[i], row[i + 1]);
  }
  // fours[4 * g + e]: elements e, e + 4, e + 8 and e + 12 of rows 4 * g to 4 * g + 3.
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const __m512d a = _mm512_castps_pd(pairs[4 * g + h]), b = _mm512_castps_pd(pairs[4 * g + 2 + h]);
      fours[4 * g + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
      fours[4 * g + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
  }
#pragma GCC unroll 4
  for (int e = 0; e < 4; ++e) {
    const __m512 low01 = _mm512_shuffle_f32x4(fours[e], fours[4 + e], 0x44), high01 = _mm512_shuffle_f32x4(fours[e], fours[4 + e], 0xee);
    const __m512 low23 = _mm512_shuffle_f32x4(fours[8 + e], fours[12 + e], 0x44),
                 high23 = _mm512_shuffle_f32x4(fours[8 + e], fours[12 + e], 0xee);
    column[e] = _mm512_shuffle_f32x4(low01, low23, 0x88);
    column[e + 4] = _mm512_shuffle_f32x4(low01, low23, 0xdd);
    column[e + 8] = _mm512_shuffle_f32x4(high01, high23, 0x88);
    column[e + 12] = _mm512_shuffle_f32x4(high01, high23, 0xdd);
  }
}

// Adds lhs[k] * rhs[k * rhs_stride + c] of sixteen rows, whose elements are neighbours, to sums[c].
template <int kColumns>
inline __attribute__((always_inline)) void add_sixteen_products(__m512 (&sums)[kColumns], size_t k, const float* lhs, ptrdiff_t lhs_stride,
                                                                const float* rhs, ptrdiff_t rhs_stride) {
  const auto add = [&](__m512 x, const float* w) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) sums[c] = _mm512_add_ps(sums[c], _mm512_mul_ps(x, _mm512_set1_ps(w[c])));
  };
  __m512 row[16], column[16];
  size_t at = 0;
  for (; at + 16 <= k; at += 16, lhs += 16) {
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) row[r] = _mm512_loadu_ps(lhs + r * lhs_stride);
    transpose16(row, column);
#pragma GCC unroll 16
    for (int e = 0; e < 16; ++e, rhs += rhs_stride) add(column[e], rhs);
  }
  for (; at < k; ++at, ++lhs, rhs += rhs_stride) {
    float next[16];
    for (int r = 0; r < 16; ++r) next[r] = lhs[r * lhs_stride];
    add(_mm512_loadu_ps(next), rhs);
  }
}

inline __m512 sixteen_products(size_t k, const float* lhs, ptrdiff_t lhs_stride, const float* rhs, ptrdiff_t rhs_stride, const float* bias) {
  __m512 sum[1] = {_mm512_setzero_ps()};
  add_sixteen_products(sum, k, lhs, lhs_stride, rhs, rhs_stride);
  return bias != nullptr ? _mm512_add_ps(sum[0], _mm512_set1_ps(*bias)) : sum[0];
}

}  // namespace
}  // namespace ert::kernels
