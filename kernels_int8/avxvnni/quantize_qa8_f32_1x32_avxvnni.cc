// Rows of fp32 to u8 with a zero point, the form of vpdpbusd.
#include "kernels_int8/avx2/gelu_row.h"
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/avxvnni/names.h"

namespace ert::kernels {
namespace {

// 32 values of a row whose bytes begin at `to`.
inline __attribute__((always_inline)) void store_bytes(uint8_t* to, size_t i, const __m256i (&q)[4], __m256i zero_point) {
  // Packs work within 128-bit parts: 0-3 8-11 16-19 24-27 | 4-7 12-15 20-23 28-31.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i a = _mm256_adds_epi16(_mm256_packs_epi32(q[0], q[1]), zero_point);
  const __m256i b = _mm256_adds_epi16(_mm256_packs_epi32(q[2], q[3]), zero_point);
  const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), order);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), packed);
}

template <bool kSmooth>
void bytes_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst,
                   size_t row_bytes, RowScale* scales) {
  of_length(
      k, [&](size_t length) __attribute__((always_inline)) {
        quantize_rows<W8A8, kSmooth>(
            m, length, src, src_stride, inv_smooth,
            scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i zero_point) __attribute__((always_inline)) {
              store_bytes(dst + row * row_bytes, i, q, zero_point);
            });
      });
}

}  // namespace

size_t ERT_AVXVNNI_NAME(rowbytes_qa8_f32_1x32)(size_t k) { return round_up(k, 64); }

void ERT_AVXVNNI_NAME(quantize_qa8_f32_1x32)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                             void* dst, size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? bytes_of_rows<true> : bytes_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<uint8_t*>(dst), row_bytes, scales);
}

void ERT_AVXVNNI_NAME(geluquantize_qa8_f32_1x32)(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                                 void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* const rows = static_cast<uint8_t*>(dst);
  quantize_gelu_rows(
      m, k, src, src_stride, inv_smooth,
      scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i zero_point) __attribute__((always_inline)) {
        store_bytes(rows + row * row_bytes, i, q, zero_point);
      });
}

}  // namespace ert::kernels
