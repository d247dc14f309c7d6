// Rows of fp32 to int16 holding (q - zero point): the form that pmaddwd multiplies without correction.
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {
namespace {

// q + zero point clamped to [0, 255], then the zero point taken off again.
inline __attribute__((always_inline)) __m256i clamp16(__m256i a, __m256i b, __m256i zero_point) {
  const __m256i q = _mm256_adds_epi16(_mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8), zero_point);
  const __m256i clamped = _mm256_min_epi16(_mm256_max_epi16(q, _mm256_setzero_si256()), _mm256_set1_epi16(255));
  return _mm256_sub_epi16(clamped, zero_point);
}

template <bool kSmooth>
void one_row(size_t k, const float* src, const float* inv_smooth, int16_t* dst, RowScale* scale) {
  quantize_row<kSmooth>(
      k, src, inv_smooth, scale, [&](size_t i, const __m256i(&q)[4], __m256i zero_point) __attribute__((always_inline)) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i), clamp16(q[0], q[1], zero_point));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i + 16), clamp16(q[2], q[3], zero_point));
      });
}

}  // namespace

size_t rowbytes_qa8_f32_1x32_avx2(size_t k) { return round_up(2 * k, 64); }

void quantize_qa8_f32_1x32_avx2(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    int16_t* row16 = reinterpret_cast<int16_t*>(row);
    if (inv_smooth != nullptr) {
      one_row<true>(k, src, inv_smooth, row16, scales + i);
    } else {
      one_row<false>(k, src, nullptr, row16, scales + i);
    }
  }
}

void gelucoarse_f32_f32_1x16_avx2(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x32_avx2(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                    size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_avx2, quantize_qa8_f32_1x32_avx2>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                               scales);
}

}  // namespace ert::kernels
