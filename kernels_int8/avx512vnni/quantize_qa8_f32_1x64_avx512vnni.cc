// Rows of fp32 to u8 with a zero point, in two passes per row: range, then scale, round and pack.
#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/math_constants.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __mmask16 first_lanes(size_t count) {
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

template <bool kSmooth>
void range_of_row(size_t k, const float* src, const float* inv_smooth, float* lo_out, float* hi_out) {
  __m512 lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = hi[j] = _mm512_setzero_ps();
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m512 y = load16<kSmooth>(src, inv_smooth, i + 16 * j);
      lo[j] = _mm512_min_ps(y, lo[j]);
      hi[j] = _mm512_max_ps(y, hi[j]);
    }
  }
  for (; i < k; i += 16) {
    const __m512 y = load16<kSmooth>(src, inv_smooth, i, first_lanes(k - i));
    lo[0] = _mm512_min_ps(y, lo[0]);
    hi[0] = _mm512_max_ps(y, hi[0]);
  }
  *lo_out = _mm512_reduce_min_ps(_mm512_min_ps(_mm512_min_ps(lo[0], lo[1]), _mm512_min_ps(lo[2], lo[3])));
  *hi_out = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(hi[0], hi[1]), _mm512_max_ps(hi[2], hi[3])));
}

// Packs work within 128-bit parts: part p of the packed register holds elements 4p..4p+3 of each of the four sources.
inline __attribute__((always_inline)) __m512i pack_u8(const __m512i (&q)[4], __m512i zero_point16) {
  const __m512i a = _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), zero_point16);
  const __m512i b = _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), zero_point16);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b));
}

template <bool kSmooth>
void quantize_row(size_t k, const float* src, const float* inv_smooth, uint8_t* dst, RowScale* scale) {
  float lo, hi;
  range_of_row<kSmooth>(k, src, inv_smooth, &lo, &hi);
  const float range = hi - lo;
  float inv = 0.0f;
  *scale = {0.0f, 0};
  if (range >= kZeroRange) {
    inv = kMaxQa8 / range;
    *scale = {range / kMaxQa8, _mm_cvtss_si32(_mm_set_ss(-lo * inv))};
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
      const __mmask16 mask = at < k ? first_lanes(k - at) : 0;
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
      quantize_row<true>(k, src, inv_smooth, row, scales + i);
    } else {
      quantize_row<false>(k, src, nullptr, row, scales + i);
    }
  }
}

}  // namespace ert::kernels
