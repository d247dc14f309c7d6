// A row of an 8-bit map from its values: range, then scale, round and pack, 64 values at a time.
#include "kernels_int8/avx512vnni/quantize_row.h"
#include "kernels_int8/contract/conv_kernels.h"

namespace ert::kernels {
namespace {

// Factors of the channels that stand side by side, from any channel on: sixteens of a row cross pixels.
constexpr size_t kMostRepeated = 256;
struct RepeatedFactors {
  float factors[kMostRepeated + 16];
  size_t channels;

  explicit RepeatedFactors(const MapQuantizeArgs& a) : channels(a.channels) {
    for (size_t i = 0; i < channels + 16; ++i) factors[i] = a.factors[i % channels];
  }
  size_t next(size_t phase) const {
    phase += 16;
    return phase < channels ? phase : channels < 16 ? phase % channels : phase - channels;
  }
};

// Calls block(at, y, mask) for sixteens of values times their factors.
template <class Block>
inline __attribute__((always_inline)) void for_sixteens(const MapQuantizeArgs& a, const RepeatedFactors& f, const Block& block) {
  const size_t n = a.pixels * a.channels;
  size_t phase = 0, i = 0;
  for (; i + 16 <= n; i += 16, phase = f.next(phase))
    block(i, _mm512_mul_ps(_mm512_loadu_ps(a.src + i), _mm512_loadu_ps(f.factors + phase)), static_cast<__mmask16>(0xffff));
  if (i < n) {
    const __mmask16 mask = lane_mask(n - i);
    block(i, _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, a.src + i), _mm512_loadu_ps(f.factors + phase)), mask);
  }
}
// Where channels are too many for that, pixel by pixel.
template <class Block>
inline __attribute__((always_inline)) void for_sixteens_of_pixels(const MapQuantizeArgs& a, const Block& block) {
  for (size_t p = 0; p < a.pixels; ++p) {
    for (size_t c = 0; c < a.channels; c += 16) {
      const __mmask16 mask = lane_mask(a.channels - c);
      const __m512 x = _mm512_maskz_loadu_ps(mask, a.src + p * a.channels + c);
      block(p * a.channels + c, _mm512_mul_ps(x, _mm512_maskz_loadu_ps(mask, a.factors + c)), mask);
    }
  }
}

inline __attribute__((always_inline)) void store16(uint8_t* dst, __m512 y, __m512 inv, __m512i zero_point, __mmask16 mask) {
  const __m512i q = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(y, inv)), zero_point);
  _mm_mask_storeu_epi8(dst, mask, _mm512_cvtusepi32_epi8(_mm512_max_epi32(q, _mm512_setzero_si512())));
}

template <class ForSixteens>
inline __attribute__((always_inline)) void quantize_sixteens(const MapQuantizeArgs& a, const ForSixteens& for_all) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  for_all([&](size_t, __m512 y, __mmask16) __attribute__((always_inline)) { extend(y, &lo[0], &hi[0]); });
  const __m512 inv = _mm512_set1_ps(steps_of(range_of_lanes(lo, hi), a.scale));
  if (cleared_for_nan(a)) return;
  const __m512i zero_point = _mm512_set1_epi32(a.scale->zero_point);
  for_all([&](size_t at, __m512 y, __mmask16 mask)
              __attribute__((always_inline)) { store16(a.dst + at, y, inv, zero_point, mask); });
}

void quantize_with_factors(const MapQuantizeArgs& a) {
  if (a.channels > kMostRepeated) {
    return quantize_sixteens(
        a, [&](const auto& block) __attribute__((always_inline)) { for_sixteens_of_pixels(a, block); });
  }
  const RepeatedFactors f(a);
  quantize_sixteens(
      a, [&](const auto& block) __attribute__((always_inline)) { for_sixteens(a, f, block); });
}

}  // namespace

void mapquantize_qm8_f32_1x64_avx512vnni(const MapQuantizeArgs& a) {
  if (a.factors != nullptr) return quantize_with_factors(a);
  const size_t n = a.pixels * a.channels;
  const float* src = a.src;
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) extend(_mm512_loadu_ps(src + i + 16 * j), &lo[j], &hi[j]);
  }
  for (; i < n; i += 16) extend(_mm512_maskz_loadu_ps(lane_mask(n - i), src + i), &lo[0], &hi[0]);
  const __m512 inv = _mm512_set1_ps(steps_of(range_of_lanes(lo, hi), a.scale));
  if (cleared_for_nan(a)) return;
  const __m512i zero_point = _mm512_set1_epi32(a.scale->zero_point);
  const __m512i zero_point16 = _mm512_set1_epi16(static_cast<int16_t>(a.scale->zero_point));
  for (i = 0; i + 64 <= n; i += 64) {
    __m512i q[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(src + i + 16 * j), inv));
    _mm512_storeu_si512(a.dst + i, pack_u8(q, zero_point16));
  }
  for (; i < n; i += 16) {
    const __mmask16 mask = lane_mask(n - i);
    store16(a.dst + i, _mm512_maskz_loadu_ps(mask, src + i), inv, zero_point, mask);
  }
}

}  // namespace ert::kernels
