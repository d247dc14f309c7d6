// One value per row from four rows at once, as avx512vnni/reduce_rows.h does it: each fold pairs the lanes of the canonical tree (NUMERICS.md
// section 1), 4, 2, 1 apart, and the last step leaves row r in lane r. Internal linkage.
#pragma once

#include <immintrin.h>

namespace ert::kernels {
namespace {

struct Largest {
  static inline __attribute__((always_inline)) __m256 of(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
  static inline __attribute__((always_inline)) __m128 of(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
};
// By bits, none of them negative: NaN is above infinity, and not lost as in a maximum of floats.
struct LargestBits {
  static inline __attribute__((always_inline)) __m256 of(__m256 a, __m256 b) {
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
  }
  static inline __attribute__((always_inline)) __m128 of(__m128 a, __m128 b) {
    return _mm_castsi128_ps(_mm_max_epi32(_mm_castps_si128(a), _mm_castps_si128(b)));
  }
};
struct Sum {
  static inline __attribute__((always_inline)) __m256 of(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
  static inline __attribute__((always_inline)) __m128 of(__m128 a, __m128 b) { return _mm_add_ps(a, b); }
};

template <class Op>
inline __attribute__((always_inline)) __m128 reduce_4_rows(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 ac = Op::of(_mm256_permute2f128_ps(a, c, 0x20), _mm256_permute2f128_ps(a, c, 0x31));
  const __m256 bd = Op::of(_mm256_permute2f128_ps(b, d, 0x20), _mm256_permute2f128_ps(b, d, 0x31));
  const __m256 two = Op::of(_mm256_shuffle_ps(ac, bd, 0x44), _mm256_shuffle_ps(ac, bd, 0xee));  // a a b b, c c d d
  const __m128 ab = _mm256_castps256_ps128(two), cd = _mm256_extractf128_ps(two, 1);
  return Op::of(_mm_shuffle_ps(ab, cd, 0x88), _mm_shuffle_ps(ab, cd, 0xdd));
}

}  // namespace
}  // namespace ert::kernels
