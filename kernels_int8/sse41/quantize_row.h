// What simd/quantize16.h needs, on SSE4.1, and 16 values as int16. Rows of W8A8 are those of signed_bytes.h. Internal linkage.
#pragma once

#include "kernels_int8/sse41/lanes16_sse41.h"
#include "kernels_int8/sse41/signed_bytes.h"

namespace ert::kernels {
namespace {

constexpr size_t kRowBytesPerValue = 2;  // of W8A8: a sign, a magnitude

// By bits, as in ref/quantize_row.h: maxps loses NaN.
ERT_LANES __m128 maximum4(__m128 a, __m128 b) {
  return _mm_castsi128_ps(_mm_max_epi32(_mm_castps_si128(a), _mm_castps_si128(b)));
}
ERT_LANES __m128 minimum4(__m128 a, __m128 b) {
  return _mm_castsi128_ps(_mm_max_epu32(_mm_castps_si128(a), _mm_castps_si128(b)));
}
ERT_LANES Lanes maximum(Lanes a, Lanes b) {
  return {maximum4(a.q0, b.q0), maximum4(a.q1, b.q1), maximum4(a.q2, b.q2), maximum4(a.q3, b.q3)};
}
ERT_LANES Lanes minimum(Lanes a, Lanes b) {
  return {minimum4(a.q0, b.q0), minimum4(a.q1, b.q1), minimum4(a.q2, b.q2), minimum4(a.q3, b.q3)};
}
ERT_LANES float greatest(Lanes a) {
  const __m128 m4 = maximum4(maximum4(a.q0, a.q2), maximum4(a.q1, a.q3));
  const __m128 m2 = maximum4(m4, _mm_movehl_ps(m4, m4));
  return _mm_cvtss_f32(maximum4(m2, _mm_movehdup_ps(m2)));
}
ERT_LANES float smallest(Lanes a) {
  const __m128 m4 = minimum4(minimum4(a.q0, a.q2), minimum4(a.q1, a.q3));
  const __m128 m2 = minimum4(m4, _mm_movehl_ps(m4, m4));
  return _mm_cvtss_f32(minimum4(m2, _mm_movehdup_ps(m2)));
}

// 16 integers that fit int16.
struct Integers {
  __m128i low, high;
};
ERT_LANES Integers rounded(Lanes y) {
  return {_mm_packs_epi32(_mm_cvtps_epi32(y.q0), _mm_cvtps_epi32(y.q1)),
          _mm_packs_epi32(_mm_cvtps_epi32(y.q2), _mm_cvtps_epi32(y.q3))};
}
// Clamped to [-128, 127].
ERT_LANES __m128i bytes_of(Integers q) { return _mm_packs_epi16(q.low, q.high); }

ERT_LANES int32_t nearest_integer(float x) { return _mm_cvtss_si32(_mm_set_ss(x)); }
ERT_LANES void store_bytes(int8_t* dst, Lanes y, int32_t offset) {
  const Integers q = rounded(y);
  const __m128i by = _mm_set1_epi16(static_cast<int16_t>(offset));
  store_with_signs(dst, bytes_of({_mm_adds_epi16(q.low, by), _mm_adds_epi16(q.high, by)}));
}

}  // namespace
}  // namespace ert::kernels
