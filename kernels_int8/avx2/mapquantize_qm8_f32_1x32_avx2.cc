// A row of an 8-bit map from its values: range, then scale, round and pack, 32 values at a time. What is left of a row is done in a copy behind which there
// are zeros.
#include <string.h>

#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/repeated_factors.h"

namespace ert::kernels {
namespace {

template <bool kFactors, class Block>
inline __attribute__((always_inline)) void take_block(const float* src, const float* factors, const Block& block) {
  __m256 y[4];
#pragma GCC unroll 4
  for (size_t j = 0; j < 4; ++j) y[j] = smoothed8<kFactors>(src + 8 * j, factors + (kFactors ? 8 * j : 0));
  block(y);
}

// Calls block(i, n, y) for 32 values from i on, of which the first n are of the row.
template <class Kind, class Block>
inline __attribute__((always_inline)) void for_values(const MapQuantizeArgs& a, const Kind& kind, const Block& block) {
  const size_t n = a.pixels * a.channels;
  size_t i = 0, channel = 0;
  for (; i + kBlock <= n; i += kBlock, channel = kind.next(channel))
    take_block<Kind::kFactors>(
        a.src + i, kind.factors_of(channel), [&](const __m256(&y)[4]) __attribute__((always_inline)) { block(i, kBlock, y); });
  if (i == n) return;
  float rest[kBlock] = {};
  memcpy(rest, a.src + i, (n - i) * sizeof(float));
  take_block<Kind::kFactors>(
      rest, kind.factors_of(channel), [&](const __m256(&y)[4]) __attribute__((always_inline)) { block(i, n - i, y); });
}

// By bits, so that NaN is not lost: of values that are not below 0 one maximum finds it and the largest, otherwise as in ends_of_row.
template <bool kClamped, class Kind>
inline __attribute__((always_inline)) void find_range(const MapQuantizeArgs& a, const Kind& kind, float* low, float* high) {
  __m256i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm256_set1_epi32(INT32_MIN), hi[j] = _mm256_setzero_si256();
  for_values(
      a, kind, [&](size_t, size_t, const __m256(&y)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          const __m256i bits = _mm256_castps_si256(y[j]);
          if (!kClamped) lo[j] = larger_integers<false>(bits, lo[j]);
          hi[j] = larger_integers<!kClamped>(bits, hi[j]);
        }
      });
  const auto of_four = [](auto larger, const __m256i(&x)[4]) { return larger(larger(x[0], x[1]), larger(x[2], x[3])); };
  *low = kClamped ? -0.0f : float_of_largest<false>(of_four(larger_integers<false>, lo));
  *high = float_of_largest<!kClamped>(of_four(larger_integers<!kClamped>, hi));
}

// 32 bytes in their order, of integers to which the zero point is added.
inline __attribute__((always_inline)) __m256i pack_u8(const __m256i (&q)[4], __m256i zero_point16) {
  const __m256i a = _mm256_adds_epi16(_mm256_packs_epi32(q[0], q[1]), zero_point16);
  const __m256i b = _mm256_adds_epi16(_mm256_packs_epi32(q[2], q[3]), zero_point16);
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

template <bool kClamped, class Kind>
inline __attribute__((always_inline)) void quantize_values(const MapQuantizeArgs& a, const Kind& kind) {
  float low, high;
  find_range<kClamped>(a, kind, &low, &high);
  Steps steps;
  W8A8::find_steps(_mm256_set1_ps(low), _mm256_set1_ps(high), &steps);
  *a.scale = {steps.scale[0], steps.zero_point[0]};
  if (cleared_for_nan(a)) return;
  const __m256 inv = _mm256_set1_ps(steps.inv[0]);
  const __m256i zero_point16 = _mm256_set1_epi16(static_cast<int16_t>(steps.zero_point[0]));
  for_values(
      a, kind, [&](size_t i, size_t count, const __m256(&y)[4]) __attribute__((always_inline)) {
        __m256i q[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) q[j] = _mm256_cvtps_epi32(_mm256_mul_ps(y[j], inv));
        const __m256i bytes = pack_u8(q, zero_point16);
        if (count == kBlock) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(a.dst + i), bytes);
        alignas(32) uint8_t rest[kBlock];
        _mm256_store_si256(reinterpret_cast<__m256i*>(rest), bytes);
        memcpy(a.dst + i, rest, count);
      });
}

}  // namespace

void mapquantize_qm8_f32_1x32_avx2(const MapQuantizeArgs& a) {
  if (a.factors != nullptr) return quantize_values<false>(a, ValuesTimesFactors<kBlock>{{a.factors, a.channels}});
  if (a.clamped) return quantize_values<true>(a, PlainValues());
  quantize_values<false>(a, PlainValues());
}

}  // namespace ert::kernels
