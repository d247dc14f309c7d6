// Rows of fp32 to u8 with a zero point, in two passes per row: range (of GELU where that comes before), then scale, round and pack.

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx512vnni/lanes16_avx512.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __mmask16 lane_mask(size_t count) {
  return count >= 16 ? 0xffff : static_cast<__mmask16>((1u << count) - 1);
}

template <bool kSmooth>
inline __attribute__((always_inline)) __m512 load16(const float* src, const float* inv_smooth, size_t i) {
  const __m512 x = _mm512_loadu_ps(src + i);
  return kSmooth ? _mm512_mul_ps(x, _mm512_loadu_ps(inv_smooth + i)) : x;
}

// Lanes beyond k are +0, which never changes the range.
template <bool kSmooth>
inline __attribute__((always_inline)) __m512 load16(const float* src, const float* inv_smooth, size_t i, __mmask16 mask) {
  const __m512 x = _mm512_maskz_loadu_ps(mask, src + i);
  return kSmooth ? _mm512_mul_ps(x, _mm512_maskz_loadu_ps(mask, inv_smooth + i)) : x;
}

struct Range {
  float lo, hi;
};

// By bits, as in ref/quantize_row.h, so that NaN is not lost: lo starts as -0, hi as 0.
Range range_of_lanes(const __m512i (&lo)[4], const __m512i (&hi)[4]) {
  const uint32_t low = _mm512_reduce_max_epu32(_mm512_max_epu32(_mm512_max_epu32(lo[0], lo[1]), _mm512_max_epu32(lo[2], lo[3])));
  const int32_t high = _mm512_reduce_max_epi32(_mm512_max_epi32(_mm512_max_epi32(hi[0], hi[1]), _mm512_max_epi32(hi[2], hi[3])));
  return {__builtin_bit_cast(float, low), __builtin_bit_cast(float, high)};
}

inline __attribute__((always_inline)) void extend(__m512 y, __m512i* lo, __m512i* hi) {
  *lo = _mm512_max_epu32(_mm512_castps_si512(y), *lo);
  *hi = _mm512_max_epi32(_mm512_castps_si512(y), *hi);
}

template <bool kSmooth>
Range range_of_row(size_t k, const float* src, const float* inv_smooth) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m512 y = load16<kSmooth>(src, inv_smooth, i + 16 * j);
      extend(y, &lo[j], &hi[j]);
    }
  }
  for (; i < k; i += 16) {
    const __m512 y = load16<kSmooth>(src, inv_smooth, i, lane_mask(k - i));
    extend(y, &lo[0], &hi[0]);
  }
  return range_of_lanes(lo, hi);
}

// The same of GELU, whose smoothed values replace src.
template <bool kSmooth>
Range range_of_gelu(size_t k, float* src, const float* inv_smooth) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
    Lanes4 y = gelu_coarse(load4(src + i));
    if (kSmooth) y = y * load4(inv_smooth + i);
    const __m512 part[4] = {y.a.v, y.b.v, y.c.v, y.d.v};
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      extend(part[j], &lo[j], &hi[j]);
    }
    store4(src + i, y);
  }
  for (; i < k; i += 16) {
    const __mmask16 mask = lane_mask(k - i);
    Lanes y = gelu_coarse(Lanes{_mm512_maskz_loadu_ps(mask, src + i)});
    if (kSmooth) y = y * Lanes{_mm512_maskz_loadu_ps(mask, inv_smooth + i)};
    extend(y.v, &lo[0], &hi[0]);
    _mm512_mask_storeu_ps(src + i, mask, y.v);
  }
  return range_of_lanes(lo, hi);
}

// Packs work within 128-bit parts: part p of the packed register holds elements 4p..4p+3 of each of the four sources.
inline __attribute__((always_inline)) __m512i pack_u8(const __m512i (&q)[4], __m512i zero_point16) {
  const __m512i a = _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), zero_point16);
  const __m512i b = _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), zero_point16);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b));
}

template <bool kSmooth>
void quantize_row(size_t k, const float* src, const float* inv_smooth, Range of_row, uint8_t* dst, RowScale* scale) {
  const float range = of_row.hi - of_row.lo;
  float inv = 0.0f;
  *scale = {range < kZeroRange ? 0.0f : __builtin_nanf(""), 0};
  if (range >= kZeroRange && range <= kLargestFloat) {
    inv = kMaxQa8 / range;
    *scale = {range / kMaxQa8, _mm_cvtss_si32(_mm_set_ss(-of_row.lo * inv))};
  }
  const __m512 inv16 = _mm512_set1_ps(inv);
  const __m512i zero_point16 = _mm512_set1_epi16(static_cast<int16_t>(scale->zero_point));
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
    __m512i q[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, i + 16 * j), inv16));
    _mm512_storeu_si512(dst + i, pack_u8(q, zero_point16));
  }
  if (i < k) {
    __m512i q[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const size_t at = i + 16 * j;
      const __mmask16 mask = at < k ? lane_mask(k - at) : 0;
      q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, at, mask), inv16));
    }
    _mm512_storeu_si512(dst + i, pack_u8(q, zero_point16));
  }
}

}  // namespace

size_t rowbytes_qa8_f32_1x64_avx512vnni(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x64_avx512vnni(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                      void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    if (inv_smooth != nullptr) {
      quantize_row<true>(k, src, inv_smooth, range_of_row<true>(k, src, inv_smooth), row, scales + i);
    } else {
      quantize_row<false>(k, src, nullptr, range_of_row<false>(k, src, nullptr), row, scales + i);
    }
  }
}

void geluquantize_qa8_f32_1x64_avx512vnni(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                          void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    const Range range = inv_smooth != nullptr ? range_of_gelu<true>(k, src, inv_smooth) : range_of_gelu<false>(k, src, nullptr);
    quantize_row<false>(k, src, nullptr, range, row, scales + i);
  }
}

}  // namespace ert::kernels
