// Sixteen fp32 lanes on AVX-512: one register. The operations that simd/*.h are written in; see lanes16_avx2.h for the other
// form. Internal linkage: included by translation units with different flags.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/contract/math_constants.h"

#define ERT_LANES inline __attribute__((always_inline))

namespace ert::kernels {
namespace {

// GEMM tile of simd/gemm16.h: rows, panels of 16 columns, panels when there are one or two rows.
constexpr int kGemmRows = 8;
constexpr int kGemmPanels = 2;
constexpr int kGemmPanelsFewRows = 8;

constexpr bool kRegistersForTwoLanes = true;
constexpr bool kRegistersForLanes4 = true;
constexpr bool kPredicatedAccess = false;

struct Lanes {
  __m512 v;
};
struct Mask {
  __mmask16 v;
};

ERT_LANES __mmask16 first_lanes_bits(size_t count) { return static_cast<__mmask16>((1u << count) - 1); }

ERT_LANES Lanes broadcast(float x) { return {_mm512_set1_ps(x)}; }
ERT_LANES Lanes load(const float* p) { return {_mm512_loadu_ps(p)}; }
ERT_LANES void store(float* p, Lanes a) { _mm512_storeu_ps(p, a.v); }
// The first count < 16 lanes; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) { return {_mm512_maskz_loadu_ps(first_lanes_bits(count), p)}; }
ERT_LANES void store_first(float* p, Lanes a, size_t count) { _mm512_mask_storeu_ps(p, first_lanes_bits(count), a.v); }

// Lanes 0..7 of one place, 8..15 of another: eight channels of two pixels.
ERT_LANES Lanes load_halves(const float* p, const float* q) {
  return {_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(p)), _mm256_loadu_ps(q), 1)};
}
ERT_LANES void store_halves(float* p, float* q, Lanes a) {
  _mm256_storeu_ps(p, _mm512_castps512_ps256(a.v));
  _mm256_storeu_ps(q, _mm512_extractf32x8_ps(a.v, 1));
}
ERT_LANES Lanes first_half_twice(Lanes a) { return {_mm512_shuffle_f32x4(a.v, a.v, 0x44)}; }
ERT_LANES Lanes broadcast_halves(float x, float y) {
  return {_mm512_mask_broadcastss_ps(_mm512_set1_ps(x), static_cast<__mmask16>(0xff00), _mm_set_ss(y))};
}

ERT_LANES Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_ps(a.v, b.v)}; }
ERT_LANES Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_ps(a.v, b.v)}; }
ERT_LANES Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_ps(a.v, b.v)}; }
ERT_LANES Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_ps(a.v, b.v)}; }
// Compare and select: b where the two are equal or either is NaN.
ERT_LANES Lanes larger(Lanes a, Lanes b) { return {_mm512_max_ps(a.v, b.v)}; }
ERT_LANES Lanes smaller(Lanes a, Lanes b) { return {_mm512_min_ps(a.v, b.v)}; }
// `most` where x is NaN.
ERT_LANES Lanes larger_number(Lanes x, Lanes most) { return larger(x, most); }

ERT_LANES Mask operator<(Lanes a, Lanes b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
ERT_LANES Mask operator>(Lanes a, Lanes b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ)}; }
ERT_LANES Mask operator>=(Lanes a, Lanes b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ)}; }
ERT_LANES Mask first_lanes(size_t count) { return {first_lanes_bits(count)}; }
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) { return {_mm512_mask_blend_ps(m.v, no.v, yes.v)}; }
ERT_LANES Lanes zero_unless(Mask m, Lanes a) { return {_mm512_maskz_mov_ps(m.v, a.v)}; }
ERT_LANES Lanes zero_if(Mask m, Lanes a) { return {_mm512_maskz_mov_ps(static_cast<__mmask16>(~m.v), a.v)}; }
// Lanes whose byte is nonzero; count <= 16 bytes are read.
ERT_LANES Mask nonzero_bytes(const uint8_t* p, size_t count) {
  const __mmask16 read = count >= 16 ? static_cast<__mmask16>(0xffff) : first_lanes_bits(count);
  const __m128i bytes = _mm_maskz_loadu_epi8(read, p);
  return {_mm_test_epi8_mask(bytes, bytes)};
}

// Holds the four values at this point of the program.
ERT_LANES void order_together(Lanes* a, Lanes* b, Lanes* c, Lanes* d) {
  __asm__ volatile("" : "+v"(a->v), "+v"(b->v), "+v"(c->v), "+v"(d->v));
}

ERT_LANES Lanes absolute(Lanes a) { return {_mm512_abs_ps(a.v)}; }
// Sign of `sign` on a magnitude >= 0.
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  const __m512i sign_bit = _mm512_set1_epi32(static_cast<int>(0x80000000u));
  const __m512i m = _mm512_castps_si512(magnitude.v);
  return {_mm512_castsi512_ps(_mm512_ternarylogic_epi32(m, _mm512_castps_si512(sign.v), sign_bit, 0xd8))};
}
// y * 2^n with z = n + kRoundMagic.
ERT_LANES Lanes times_power_of_two(Lanes y, Lanes z) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(z.v), 23);
  return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(y.v), exponent))};
}

// The canonical tree: lanes i and i + 8, then 4, 2, 1 apart.
ERT_LANES float total(Lanes a) {
  const __m256 s8 = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  const __m128 s4 = _mm_add_ps(_mm256_castps256_ps128(s8), _mm256_extractf128_ps(s8, 1));
  const __m128 s2 = _mm_add_ps(s4, _mm_movehl_ps(s4, s4));
  return _mm_cvtss_f32(_mm_add_ss(s2, _mm_movehdup_ps(s2)));
}
ERT_LANES float largest(Lanes a) { return _mm512_reduce_max_ps(a.v); }

}  // namespace
}  // namespace ert::kernels
