// The values of a row of an 8-bit map, or added to others, eight at a time.
#include <immintrin.h>

#include "kernels_int8/simd/map_rows.h"

namespace ert::kernels {
namespace {

// What is done with the last values of a row or pixel, which are no eight, is in plain loops.
template <bool kAdd, bool kFactors, Clamp kClamp>
inline __attribute__((always_inline)) void restore8(size_t n, const uint8_t* src, const float* factors, const RowScale& s, float* dst) {
  const __m256i zero_point = _mm256_set1_epi32(s.zero_point);
  const __m256 scale = _mm256_set1_ps(s.scale), zero = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i q = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(src + i)));
    __m256 y = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(q, zero_point)), scale);
    if (kFactors) y = _mm256_mul_ps(y, _mm256_loadu_ps(factors + i));
    if (kAdd) y = _mm256_add_ps(_mm256_loadu_ps(dst + i), y);
    if (kClamp != Clamp::kNone) y = _mm256_add_ps(_mm256_max_ps(zero, y), zero);
    if (kClamp == Clamp::kRelu6) y = _mm256_min_ps(_mm256_set1_ps(6.0f), y);
    _mm256_storeu_ps(dst + i, y);
  }
  restore<kAdd, kFactors, kClamp>(n - i, src + i, factors + (kFactors ? i : 0), s.scale, s.zero_point, dst + i);
}

template <bool kAdd, bool kFactors>
void restore_pieces(const MapRestoreArgs& a) {
  const size_t pieces = kFactors ? a.pixels : 1, n = kFactors ? a.channels : a.pixels * a.channels;
  for (size_t p = 0; p < pieces; ++p) {
    const uint8_t* src = a.src + p * n;
    float* dst = a.dst + p * n;
    switch (a.clamp) {
      case Clamp::kNone: restore8<kAdd, kFactors, Clamp::kNone>(n, src, a.factors, a.scale, dst); break;
      case Clamp::kRelu: restore8<kAdd, kFactors, Clamp::kRelu>(n, src, a.factors, a.scale, dst); break;
      case Clamp::kRelu6: restore8<kAdd, kFactors, Clamp::kRelu6>(n, src, a.factors, a.scale, dst); break;
    }
  }
}

}  // namespace

void maprestore_f32_qm8_1x8_avx2(const MapRestoreArgs& a) {
  if (a.factors == nullptr) return a.add ? restore_pieces<true, false>(a) : restore_pieces<false, false>(a);
  a.add ? restore_pieces<true, true>(a) : restore_pieces<false, true>(a);
}

}  // namespace ert::kernels
