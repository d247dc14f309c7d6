// GELU of a row that is to be quantized: the smoothed values in place of the row, and their ends. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx2/chains.h"
#include "kernels_int8/avx2/quantize_row.h"

namespace ert::kernels {
namespace {

constexpr int kGeluChains = 12;
constexpr float kGeluHalf = 0.5f, kGeluLeast = -kGeluCoarseCap, kGeluMost = kGeluCoarseCap;

// gelu_coarse (simd/elementary16.h) of 96 values.
inline __attribute__((always_inline)) void gelu_in_step(const float* src, __m256 (&y)[kGeluChains]) {
  KeptChains<kGeluChains> c, square;
  {
    const __m256 most = constant8(&kGeluMost), least = constant8(&kGeluLeast), first = constant8(kGeluCoarseP + 6);
#pragma GCC unroll 12
    for (int j = 0; j < kGeluChains; ++j) {
      const __m256 x = _mm256_max_ps(least, _mm256_min_ps(most, _mm256_loadu_ps(src + 8 * j)));
      _mm256_store_ps(c.of[j], x);
      const __m256 s = _mm256_mul_ps(x, x);
      _mm256_store_ps(square.of[j], s);
      y[j] = _mm256_mul_ps(s, first);
    }
  }
  add_in_step(y, kGeluCoarseP + 5);
#pragma GCC unroll 5
  for (int i = 4; i >= 0; --i) {
    multiply_in_step(y, square);
    add_in_step(y, kGeluCoarseP + i);
  }
  multiply_in_step(y, c);
  add_in_step(y, &kGeluHalf);
  multiply_in_step(y, src);
}

inline __attribute__((always_inline)) void extend_ends(__m256 y, Ends* ends) {
  ends->lo = larger_integers<false>(_mm256_castps_si256(y), ends->lo);
  ends->hi = larger_integers<true>(_mm256_castps_si256(y), ends->hi);
}

template <bool kSmooth>
Ends gelu_of_row(size_t k, float* src, const float* inv_smooth) {
  Ends ends = {_mm256_set1_epi32(INT32_MIN), _mm256_setzero_si256()};
  size_t i = 0;
  for (; i + 8 * kGeluChains <= k; i += 8 * kGeluChains) {
    __m256 y[kGeluChains];
    gelu_in_step(src + i, y);
    if (kSmooth) multiply_in_step(y, inv_smooth + i);
#pragma GCC unroll 12
    for (int j = 0; j < kGeluChains; ++j) {
      extend_ends(y[j], &ends);
      _mm256_storeu_ps(src + i + 8 * static_cast<size_t>(j), y[j]);
    }
  }
  for (; i < k; i += 16) {
    const size_t left = k - i;
    Lanes y = gelu_coarse(left >= 16 ? load(src + i) : load_first(src + i, left));
    if (kSmooth) y = y * (left >= 16 ? load(inv_smooth + i) : load_first(inv_smooth + i, left));
    extend_ends(y.lo, &ends);
    extend_ends(y.hi, &ends);
    left >= 16 ? store(src + i, y) : store_first(src + i, y, left);
  }
  return ends;
}

// quantize_rows of the GELU of each row, which is left in src.
template <typename Store>
inline __attribute__((always_inline)) void quantize_gelu_rows(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                                              RowScale* scales, const Store& store) {
  for (size_t row = 0; row < m; ++row, src += src_stride) {
    Steps steps;
    find_steps_of_row<W8A8>(inv_smooth != nullptr ? gelu_of_row<true>(k, src, inv_smooth) : gelu_of_row<false>(k, src, nullptr), &steps);
    round_row<false>(row, k, src, nullptr, steps, 0, scales, store);
  }
}

}  // namespace
}  // namespace ert::kernels
