// Sixteen fp32 lanes on AVX2: two registers, lanes 0..7 in lo. The operations that simd/*.h are written in. Internal linkage:
// included by translation units with different flags.
#pragma once

#ifndef __AVX2__
#error "build with -mavx2"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/math_constants.h"

#define ERT_LANES inline __attribute__((always_inline))

namespace ert::kernels {
namespace {

// GEMM tile of simd/gemm16.h: rows, panels of 16 columns, panels when there are one or two rows.
constexpr int kGemmRows = 6;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 3;

constexpr bool kRegistersForTwoLanes = true;
constexpr bool kRegistersForLanes4 = false;
constexpr bool kPredicatedAccess = false;

struct Lanes {
  __m256 lo, hi;
};
struct Mask {
  __m256 lo, hi;
};

ERT_LANES Lanes broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
ERT_LANES Lanes load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
ERT_LANES void store(float* p, Lanes a) {
  _mm256_storeu_ps(p, a.lo);
  _mm256_storeu_ps(p + 8, a.hi);
}

ERT_LANES Mask first_lanes(size_t count) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int n = static_cast<int>(count);
  return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n), index)),
          _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n - 8), index))};
}
// The first count < 16 lanes; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) {
  const Mask m = first_lanes(count);
  const __m256 hi = count > 8 ? _mm256_maskload_ps(p + 8, _mm256_castps_si256(m.hi)) : _mm256_setzero_ps();
  return {_mm256_maskload_ps(p, _mm256_castps_si256(m.lo)), hi};
}
ERT_LANES void store_first(float* p, Lanes a, size_t count) {
  const Mask m = first_lanes(count);
  _mm256_maskstore_ps(p, _mm256_castps_si256(m.lo), a.lo);
  if (count > 8) _mm256_maskstore_ps(p + 8, _mm256_castps_si256(m.hi), a.hi);
}

// Lanes 0..7 of one place, 8..15 of another: eight channels of two pixels.
ERT_LANES Lanes load_halves(const float* p, const float* q) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(q)}; }
ERT_LANES void store_halves(float* p, float* q, Lanes a) {
  _mm256_storeu_ps(p, a.lo);
  _mm256_storeu_ps(q, a.hi);
}
ERT_LANES Lanes broadcast_halves(float x, float y) { return {_mm256_set1_ps(x), _mm256_set1_ps(y)}; }

ERT_LANES Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
ERT_LANES Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
ERT_LANES Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
ERT_LANES Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
// Compare and select: b where the two are equal or either is NaN.
ERT_LANES Lanes larger(Lanes a, Lanes b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
ERT_LANES Lanes smaller(Lanes a, Lanes b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
// `most` where x is NaN.
ERT_LANES Lanes larger_number(Lanes x, Lanes most) { return larger(x, most); }

template <int predicate>
ERT_LANES Mask compare(Lanes a, Lanes b) {
  return {_mm256_cmp_ps(a.lo, b.lo, predicate), _mm256_cmp_ps(a.hi, b.hi, predicate)};
}
ERT_LANES Mask operator<(Lanes a, Lanes b) { return compare<_CMP_LT_OQ>(a, b); }
ERT_LANES Mask operator>(Lanes a, Lanes b) { return compare<_CMP_GT_OQ>(a, b); }
ERT_LANES Mask operator>=(Lanes a, Lanes b) { return compare<_CMP_GE_OQ>(a, b); }
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) {
  return {_mm256_blendv_ps(no.lo, yes.lo, m.lo), _mm256_blendv_ps(no.hi, yes.hi, m.hi)};
}
ERT_LANES Lanes zero_unless(Mask m, Lanes a) { return {_mm256_and_ps(m.lo, a.lo), _mm256_and_ps(m.hi, a.hi)}; }
ERT_LANES Lanes zero_if(Mask m, Lanes a) { return {_mm256_andnot_ps(m.lo, a.lo), _mm256_andnot_ps(m.hi, a.hi)}; }
// Lanes whose byte is nonzero; count <= 16 bytes are read.
ERT_LANES Mask nonzero_bytes(const uint8_t* p, size_t count) {
  __m128i bytes;
  if (count >= 16) {
    bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  } else {
    uint8_t copy[16] = {};
    memcpy(copy, p, count);
    bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(copy));
  }
  const __m256i zero = _mm256_setzero_si256();
  const __m256i lo = _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(bytes), zero);
  const __m256i hi = _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)), zero);
  return {_mm256_castsi256_ps(lo), _mm256_castsi256_ps(hi)};
}

// Four chains do not fit sixteen registers: no order to hold.
ERT_LANES void order_together(Lanes*, Lanes*, Lanes*, Lanes*) {}

ERT_LANES Lanes absolute(Lanes a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}
// Sign of `sign` on a magnitude >= 0.
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  const __m256 bit = _mm256_set1_ps(-0.0f);
  return {_mm256_or_ps(magnitude.lo, _mm256_and_ps(bit, sign.lo)), _mm256_or_ps(magnitude.hi, _mm256_and_ps(bit, sign.hi))};
}
ERT_LANES __m256 times_power_of_two(__m256 y, __m256 z) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(z), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), exponent));
}
// y * 2^n with z = n + kRoundMagic.
ERT_LANES Lanes times_power_of_two(Lanes y, Lanes z) { return {times_power_of_two(y.lo, z.lo), times_power_of_two(y.hi, z.hi)}; }

// The canonical tree: lanes i and i + 8, then 4, 2, 1 apart.
ERT_LANES float total(Lanes a) {
  const __m256 s8 = _mm256_add_ps(a.lo, a.hi);
  const __m128 s4 = _mm_add_ps(_mm256_castps256_ps128(s8), _mm256_extractf128_ps(s8, 1));
  const __m128 s2 = _mm_add_ps(s4, _mm_movehl_ps(s4, s4));
  return _mm_cvtss_f32(_mm_add_ss(s2, _mm_movehdup_ps(s2)));
}
ERT_LANES float largest(Lanes a) {
  const __m256 m8 = _mm256_max_ps(a.lo, a.hi);
  const __m128 m4 = _mm_max_ps(_mm256_castps256_ps128(m8), _mm256_extractf128_ps(m8, 1));
  const __m128 m2 = _mm_max_ps(m4, _mm_movehl_ps(m4, m4));
  return _mm_cvtss_f32(_mm_max_ss(m2, _mm_movehdup_ps(m2)));
}

}  // namespace
}  // namespace ert::kernels
