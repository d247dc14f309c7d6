// Rows of fp32 to two rows of digits + 128 as u8: the high digits first, the low ones row_bytes / 2 later.
#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
inline __attribute__((always_inline)) __m512 load16(size_t k, const float* src, const float* inv_smooth, size_t i) {
  const __mmask16 mask = k >= i + 16 ? 0xffff : k > i ? static_cast<__mmask16>((1u << (k - i)) - 1) : 0;
  const __m512 x = _mm512_maskz_loadu_ps(mask, src + i);
  return kSmooth ? _mm512_mul_ps(x, _mm512_maskz_loadu_ps(mask, inv_smooth + i)) : x;
}

inline __attribute__((always_inline)) __m512i pack_u8(const __m512i (&q)[4]) {
  const __m512i packed = _mm512_packs_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_xor_si512(_mm512_permutexvar_epi32(order, packed), _mm512_set1_epi8(-128));
}

template <bool kSmooth>
void quantize_row(size_t k, const float* src, const float* inv_smooth, uint8_t* hi_row, uint8_t* lo_row, RowScale* scale) {
  // By bits, as in ref/quantize_row.h, so that NaN is not lost.
  __m512i largest = _mm512_setzero_si512();
  for (size_t i = 0; i < k; i += 16)
    largest = _mm512_max_epi32(_mm512_castps_si512(_mm512_abs_ps(load16<kSmooth>(k, src, inv_smooth, i))), largest);
  const float absmax = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(largest))));
  float inv = 0.0f;
  *scale = {scale_of_no_range(absmax), 0};
  if (absmax >= kZeroRange && absmax <= kLargestFloat) {
    inv = kMaxQ16 / absmax;
    scale->scale = absmax / kMaxQ16;
  }
  const __m512 inv16 = _mm512_set1_ps(inv);
  for (size_t i = 0; i < k; i += 64) {
    __m512i hi[4], lo[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(k, src, inv_smooth, i + 16 * j), inv16));
      hi[j] = _mm512_srai_epi32(_mm512_add_epi32(q, _mm512_set1_epi32(64)), 7);
      lo[j] = _mm512_sub_epi32(q, _mm512_slli_epi32(hi[j], 7));
    }
    _mm512_storeu_si512(hi_row + i, pack_u8(hi));
    _mm512_storeu_si512(lo_row + i, pack_u8(lo));
  }
}

}  // namespace

size_t rowbytes_qa16_f32_1x64_avx512vnni(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x64_avx512vnni(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                       void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    if (inv_smooth != nullptr) {
      quantize_row<true>(k, src, inv_smooth, row, row + row_bytes / 2, scales + i);
    } else {
      quantize_row<false>(k, src, nullptr, row, row + row_bytes / 2, scales + i);
    }
  }
}

}  // namespace ert::kernels
