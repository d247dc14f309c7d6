// Sixteen fp32 lanes on SSE4.1: four registers, lanes 0..3 in q0. The operations that simd/*.h are written in; see lanes16_avx2.h for
// another form. Internal linkage: included by translation units with different flags.
#pragma once

#ifndef __SSE4_1__
#error "build with -mssse3 -msse4.1"
#endif

#include <smmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/math_constants.h"

#define ERT_LANES inline __attribute__((always_inline))

namespace ert::kernels {
namespace {

// GEMM tile of simd/gemm16.h: a panel of 16 columns is four of the sixteen registers.
constexpr int kGemmRows = 2;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 1;

// One vector of 16 lanes already is four chains side by side.
constexpr bool kRegistersForTwoLanes = true;
constexpr bool kRegistersForLanes4 = false;
constexpr bool kPredicatedAccess = false;

struct Lanes {
  __m128 q0, q1, q2, q3;
};
struct Mask {
  __m128 q0, q1, q2, q3;
};

ERT_LANES Lanes broadcast(float x) {
  const __m128 v = _mm_set1_ps(x);
  return {v, v, v, v};
}
ERT_LANES Lanes load(const float* p) { return {_mm_loadu_ps(p), _mm_loadu_ps(p + 4), _mm_loadu_ps(p + 8), _mm_loadu_ps(p + 12)}; }
ERT_LANES void store(float* p, Lanes a) {
  _mm_storeu_ps(p, a.q0);
  _mm_storeu_ps(p + 4, a.q1);
  _mm_storeu_ps(p + 8, a.q2);
  _mm_storeu_ps(p + 12, a.q3);
}
// Lanes 0..7 of one place, 8..15 of another: eight channels of two pixels.
ERT_LANES Lanes load_halves(const float* p, const float* q) {
  return {_mm_loadu_ps(p), _mm_loadu_ps(p + 4), _mm_loadu_ps(q), _mm_loadu_ps(q + 4)};
}
ERT_LANES void store_halves(float* p, float* q, Lanes a) {
  _mm_storeu_ps(p, a.q0);
  _mm_storeu_ps(p + 4, a.q1);
  _mm_storeu_ps(q, a.q2);
  _mm_storeu_ps(q + 4, a.q3);
}
ERT_LANES Lanes broadcast_halves(float x, float y) {
  const __m128 first = _mm_set1_ps(x), second = _mm_set1_ps(y);
  return {first, first, second, second};
}
// The first count < 16 lanes; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) {
  float copy[16] = {};
  memcpy(copy, p, count * sizeof(float));
  return load(copy);
}
ERT_LANES void store_first(float* p, Lanes a, size_t count) {
  float copy[16];
  store(copy, a);
  memcpy(p, copy, count * sizeof(float));
}
ERT_LANES Mask first_lanes(size_t count) {
  const __m128i index = _mm_setr_epi32(0, 1, 2, 3);
  const int n = static_cast<int>(count);
  return {_mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n), index)),
          _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n - 4), index)),
          _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n - 8), index)),
          _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n - 12), index))};
}

ERT_LANES Lanes operator+(Lanes a, Lanes b) {
  return {_mm_add_ps(a.q0, b.q0), _mm_add_ps(a.q1, b.q1), _mm_add_ps(a.q2, b.q2), _mm_add_ps(a.q3, b.q3)};
}
ERT_LANES Lanes operator-(Lanes a, Lanes b) {
  return {_mm_sub_ps(a.q0, b.q0), _mm_sub_ps(a.q1, b.q1), _mm_sub_ps(a.q2, b.q2), _mm_sub_ps(a.q3, b.q3)};
}
ERT_LANES Lanes operator*(Lanes a, Lanes b) {
  return {_mm_mul_ps(a.q0, b.q0), _mm_mul_ps(a.q1, b.q1), _mm_mul_ps(a.q2, b.q2), _mm_mul_ps(a.q3, b.q3)};
}
ERT_LANES Lanes operator/(Lanes a, Lanes b) {
  return {_mm_div_ps(a.q0, b.q0), _mm_div_ps(a.q1, b.q1), _mm_div_ps(a.q2, b.q2), _mm_div_ps(a.q3, b.q3)};
}
// Compare and select: b where the two are equal or either is NaN.
ERT_LANES Lanes larger(Lanes a, Lanes b) {
  return {_mm_max_ps(a.q0, b.q0), _mm_max_ps(a.q1, b.q1), _mm_max_ps(a.q2, b.q2), _mm_max_ps(a.q3, b.q3)};
}
ERT_LANES Lanes smaller(Lanes a, Lanes b) {
  return {_mm_min_ps(a.q0, b.q0), _mm_min_ps(a.q1, b.q1), _mm_min_ps(a.q2, b.q2), _mm_min_ps(a.q3, b.q3)};
}
// `most` where x is NaN.
ERT_LANES Lanes larger_number(Lanes x, Lanes most) { return larger(x, most); }
ERT_LANES Mask operator>(Lanes a, Lanes b) {
  return {_mm_cmpgt_ps(a.q0, b.q0), _mm_cmpgt_ps(a.q1, b.q1), _mm_cmpgt_ps(a.q2, b.q2), _mm_cmpgt_ps(a.q3, b.q3)};
}
ERT_LANES Mask operator<(Lanes a, Lanes b) { return b > a; }
ERT_LANES Mask operator>=(Lanes a, Lanes b) {
  return {_mm_cmpge_ps(a.q0, b.q0), _mm_cmpge_ps(a.q1, b.q1), _mm_cmpge_ps(a.q2, b.q2), _mm_cmpge_ps(a.q3, b.q3)};
}
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) {
  return {_mm_blendv_ps(no.q0, yes.q0, m.q0), _mm_blendv_ps(no.q1, yes.q1, m.q1), _mm_blendv_ps(no.q2, yes.q2, m.q2),
          _mm_blendv_ps(no.q3, yes.q3, m.q3)};
}
ERT_LANES Lanes zero_unless(Mask m, Lanes a) {
  return {_mm_and_ps(m.q0, a.q0), _mm_and_ps(m.q1, a.q1), _mm_and_ps(m.q2, a.q2), _mm_and_ps(m.q3, a.q3)};
}
ERT_LANES Lanes zero_if(Mask m, Lanes a) {
  return {_mm_andnot_ps(m.q0, a.q0), _mm_andnot_ps(m.q1, a.q1), _mm_andnot_ps(m.q2, a.q2), _mm_andnot_ps(m.q3, a.q3)};
}
// Lanes whose byte is nonzero; count <= 16 bytes are read.
ERT_LANES __m128 nonzero_words(__m128i bytes) {
  return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_cvtepu8_epi32(bytes), _mm_setzero_si128()));
}
ERT_LANES Mask nonzero_bytes(const uint8_t* p, size_t count) {
  uint8_t copy[16] = {};
  if (count < 16) {
    memcpy(copy, p, count);
    p = copy;
  }
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {nonzero_words(bytes), nonzero_words(_mm_srli_si128(bytes, 4)), nonzero_words(_mm_srli_si128(bytes, 8)),
          nonzero_words(_mm_srli_si128(bytes, 12))};
}

ERT_LANES void order_together(Lanes*, Lanes*, Lanes*, Lanes*) {}

ERT_LANES Lanes absolute(Lanes a) {
  const __m128 sign = _mm_set1_ps(-0.0f);
  return {_mm_andnot_ps(sign, a.q0), _mm_andnot_ps(sign, a.q1), _mm_andnot_ps(sign, a.q2), _mm_andnot_ps(sign, a.q3)};
}
// Sign of `sign` on a magnitude >= 0.
ERT_LANES __m128 with_sign(__m128 magnitude, __m128 sign) { return _mm_or_ps(magnitude, _mm_and_ps(_mm_set1_ps(-0.0f), sign)); }
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  return {with_sign(magnitude.q0, sign.q0), with_sign(magnitude.q1, sign.q1), with_sign(magnitude.q2, sign.q2),
          with_sign(magnitude.q3, sign.q3)};
}
ERT_LANES __m128 times_power_of_two(__m128 y, __m128 z) {
  return _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(y), _mm_slli_epi32(_mm_castps_si128(z), 23)));
}
// y * 2^n with z = n + kRoundMagic.
ERT_LANES Lanes times_power_of_two(Lanes y, Lanes z) {
  return {times_power_of_two(y.q0, z.q0), times_power_of_two(y.q1, z.q1), times_power_of_two(y.q2, z.q2),
          times_power_of_two(y.q3, z.q3)};
}

// The canonical tree: lanes i and i + 8, then 4, 2, 1 apart.
ERT_LANES float total(Lanes a) {
  const __m128 s4 = _mm_add_ps(_mm_add_ps(a.q0, a.q2), _mm_add_ps(a.q1, a.q3));
  const __m128 s2 = _mm_add_ps(s4, _mm_movehl_ps(s4, s4));
  return _mm_cvtss_f32(_mm_add_ss(s2, _mm_movehdup_ps(s2)));
}
ERT_LANES float largest(Lanes a) {
  const __m128 m4 = _mm_max_ps(_mm_max_ps(a.q0, a.q2), _mm_max_ps(a.q1, a.q3));
  const __m128 m2 = _mm_max_ps(m4, _mm_movehl_ps(m4, m4));
  return _mm_cvtss_f32(_mm_max_ss(m2, _mm_movehdup_ps(m2)));
}

}  // namespace
}  // namespace ert::kernels
