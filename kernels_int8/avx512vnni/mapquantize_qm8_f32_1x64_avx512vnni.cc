// A row of an 8-bit map from its values: range, then scale, round and pack, 64 values at a time.
#include "kernels_int8/avx512vnni/quantize_row.h"
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/repeated_factors.h"

namespace ert::kernels {
namespace {

constexpr size_t kStep = 64;

// Calls full(i, y) for 64 values from i on, then some(i, y, mask) for sixteens of what is left.
template <class Kind, class Full, class Some>
inline __attribute__((always_inline)) void for_values(const MapQuantizeArgs& a, const Kind& kind, const Full& full, const Some& some) {
  const size_t n = a.pixels * a.channels;
  size_t i = 0, channel = 0;
  for (; i + kStep <= n; i += kStep, channel = kind.next(channel)) {
    const float* factors = kind.factors_of(channel);
    __m512 y[4];
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) y[j] = load16<Kind::kFactors>(a.src + i, factors, 16 * j);
    full(i, y);
  }
  const float* factors = kind.factors_of(channel);
  for (size_t j = 0; i + j < n; j += 16) {
    const __mmask16 mask = lane_mask(n - i - j);
    some(i + j, load16<Kind::kFactors>(a.src + i, factors, j, mask), mask);
  }
}

// Of values that are not below 0 one maximum of bits finds the largest and any NaN; otherwise see range_of_lanes.
template <bool kClamped, class Kind>
inline __attribute__((always_inline)) Range range_of(const MapQuantizeArgs& a, const Kind& kind) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  const auto take = [&](__m512 y, int j) __attribute__((always_inline)) {
    if (kClamped) {
      hi[j] = _mm512_max_epu32(_mm512_castps_si512(y), hi[j]);
    } else {
      extend(y, &lo[j], &hi[j]);
    }
  };
  for_values(
      a, kind,
      [&](size_t, const __m512(&y)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) take(y[j], j);
      },
      [&](size_t, __m512 y, __mmask16) __attribute__((always_inline)) { take(y, 0); });
  if (!kClamped) return range_of_lanes(lo, hi);
  return {-0.0f, float_of_largest(hi)};
}

inline __attribute__((always_inline)) void store16(uint8_t* dst, __m512 y, __m512 inv, __m512i zero_point, __mmask16 mask) {
  const __m512i q = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(y, inv)), zero_point);
  _mm_mask_storeu_epi8(dst, mask, _mm512_cvtusepi32_epi8(_mm512_max_epi32(q, _mm512_setzero_si512())));
}

template <bool kClamped, class Kind>
inline __attribute__((always_inline)) void quantize_values(const MapQuantizeArgs& a, const Kind& kind) {
  const __m512 inv = _mm512_set1_ps(steps_of(range_of<kClamped>(a, kind), a.scale));
  if (cleared_for_nan(a)) return;
  const __m512i zero_point = _mm512_set1_epi32(a.scale->zero_point);
  const __m512i zero_point16 = _mm512_set1_epi16(static_cast<int16_t>(a.scale->zero_point));
  for_values(
      a, kind,
      [&](size_t i, const __m512(&y)[4]) __attribute__((always_inline)) {
        __m512i q[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(y[j], inv));
        _mm512_storeu_si512(a.dst + i, pack_u8(q, zero_point16));
      },
      [&](size_t i, __m512 y, __mmask16 mask) __attribute__((always_inline)) { store16(a.dst + i, y, inv, zero_point, mask); });
}

}  // namespace

void mapquantize_qm8_f32_1x64_avx512vnni(const MapQuantizeArgs& a) {
  if (a.factors != nullptr) return quantize_values<false>(a, ValuesTimesFactors<kStep>{{a.factors, a.channels}});
  if (a.clamped) return quantize_values<true>(a, PlainValues());
  quantize_values<false>(a, PlainValues());
}

}  // namespace ert::kernels
