// The canonical exp and sum of attention in 16 lanes of AVX-512: the bits of ref/attention_row.h. Internal linkage.
#pragma once

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/math_constants.h"

namespace ert::kernels {
namespace {

// exp for x <= 0; exactly 0 below kExpLow and for NaN.
inline __attribute__((always_inline)) __m512 exp_nonpositive16(__m512 x) {
  const __mmask16 live = _mm512_cmp_ps_mask(x, _mm512_set1_ps(kExpLow), _CMP_GE_OQ);
  const __m512 magic = _mm512_set1_ps(kRoundMagic);
  const __m512 z = _mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(kLog2E)), magic);
  const __m512 n = _mm512_sub_ps(z, magic);
  const __m512 r =
      _mm512_sub_ps(_mm512_sub_ps(x, _mm512_mul_ps(n, _mm512_set1_ps(kLn2Hi))), _mm512_mul_ps(n, _mm512_set1_ps(kLn2Lo)));
  __m512 p = _mm512_set1_ps(kExp[4]);
#pragma GCC unroll 4
  for (int i = 3; i >= 0; --i) p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(kExp[i]));
  const __m512 y = _mm512_add_ps(_mm512_set1_ps(1.0f), _mm512_add_ps(r, _mm512_mul_ps(_mm512_mul_ps(r, r), p)));
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(z), 23);
  return _mm512_castsi512_ps(_mm512_maskz_add_epi32(live, _mm512_castps_si512(y), exponent));
}

// The canonical tree: lanes i and i + 8, then 4, 2, 1 apart.
inline float sum_of_lanes(__m512 x) {
  const __m256 s8 = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  const __m128 s4 = _mm_add_ps(_mm256_castps256_ps128(s8), _mm256_extractf128_ps(s8, 1));
  const __m128 s2 = _mm_add_ps(s4, _mm_movehl_ps(s4, s4));
  return _mm_cvtss_f32(_mm_add_ss(s2, _mm_movehdup_ps(s2)));
}

}  // namespace
}  // namespace ert::kernels
