// What turns fp32 into bytes with a zero point: the range of a row, its scale, and 64 bytes at a time.
#pragma once

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/avx512vnni/lane_mask.h"
#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/contract/quantized_rows.h"

namespace ert::kernels {
namespace {

struct Range {
  float lo, hi;
};

inline float float_of_bits(uint32_t bits) { return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int32_t>(bits)))); }
inline float float_of_largest(const __m512i (&x)[4]) {
  return float_of_bits(_mm512_reduce_max_epu32(_mm512_max_epu32(_mm512_max_epu32(x[0], x[1]), _mm512_max_epu32(x[2], x[3]))));
}

// By bits, as in ref/quantize_row.h, so that NaN is not lost: lo starts as -0, hi as 0.
inline Range range_of_lanes(const __m512i (&lo)[4], const __m512i (&hi)[4]) {
  const int32_t high = _mm512_reduce_max_epi32(_mm512_max_epi32(_mm512_max_epi32(hi[0], hi[1]), _mm512_max_epi32(hi[2], hi[3])));
  return {float_of_largest(lo), float_of_bits(static_cast<uint32_t>(high))};
}

// Values from i on, times their factors with kSmooth.
template <bool kSmooth>
inline __attribute__((always_inline)) __m512 load16(const float* src, const float* inv_smooth, size_t i) {
  const __m512 x = _mm512_loadu_ps(src + i);
  return kSmooth ? _mm512_mul_ps(x, _mm512_loadu_ps(inv_smooth + i)) : x;
}
// Lanes outside of the mask are +0, which never changes a range.
template <bool kSmooth>
inline __attribute__((always_inline)) __m512 load16(const float* src, const float* inv_smooth, size_t i, __mmask16 mask) {
  const __m512 x = _mm512_maskz_loadu_ps(mask, src + i);
  return kSmooth ? _mm512_mul_ps(x, _mm512_maskz_loadu_ps(mask, inv_smooth + i)) : x;
}

inline __attribute__((always_inline)) void extend(__m512 y, __m512i* lo, __m512i* hi) {
  *lo = _mm512_max_epu32(_mm512_castps_si512(y), *lo);
  *hi = _mm512_max_epi32(_mm512_castps_si512(y), *hi);
}

// Steps of a value of 1; of a range without any 0.
inline float steps_of(Range of_row, RowScale* scale) {
  const float range = of_row.hi - of_row.lo;
  *scale = {scale_of_no_range(range), 0};
  if (!(range >= kZeroRange && range <= kLargestFloat)) return 0.0f;
  const float inv = kMaxQa8 / range;
  *scale = {range / kMaxQa8, _mm_cvtss_si32(_mm_set_ss(-of_row.lo * inv))};
  return inv;
}

// Packs work within 128-bit parts: part p of the packed register holds elements 4p..4p+3 of each of the four sources.
inline __attribute__((always_inline)) __m512i pack_u8(const __m512i (&q)[4], __m512i zero_point16) {
  const __m512i a = _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), zero_point16);
  const __m512i b = _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), zero_point16);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b));
}

}  // namespace
}  // namespace ert::kernels
