// Rows of fp32 to signs and magnitudes, the form of signed_bytes.h or, where values are near the least one, of low_bytes.h.
#include "kernels_int8/avx2/gelu_row.h"
#include "kernels_int8/avx2/low_bytes.h"
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/loops/low_rows.h"

namespace ert::kernels {
namespace {

// 32 values of a row whose signs and magnitudes begin at `to`. Saturating to u8 clamps. Packs work within 128-bit parts: quads of values
// 0 2 4 6 | 1 3 5 7.
inline __attribute__((always_inline)) void store_bytes(uint8_t* to, size_t i, const __m256i (&q)[4], __m256i zero_point, bool low_row) {
  const __m256i low = _mm256_adds_epi16(_mm256_packs_epi32(q[0], q[1]), zero_point);
  const __m256i high = _mm256_adds_epi16(_mm256_packs_epi32(q[2], q[3]), zero_point);
  const __m256i bytes = _mm256_packus_epi16(low, high);
  const __m256i a = _mm256_xor_si256(bytes, _mm256_set1_epi8(static_cast<char>(0x80)));
  const __m256i magnitude = low_row ? bytes : _mm256_abs_epi8(a);  // 128 of -128, as u8
  const __m256i sign = low_row ? _mm256_set1_epi8(kLowMark) : _mm256_cmpgt_epi8(_mm256_setzero_si256(), a);
  const __m256i first = _mm256_permute4x64_epi64(_mm256_unpacklo_epi32(sign, magnitude), 0xd8);
  const __m256i second = _mm256_permute4x64_epi64(_mm256_unpackhi_epi32(sign, magnitude), 0xd8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 2 * i), first);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 2 * i + 32), second);
}

template <bool kSmooth>
void bytes_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst,
                   size_t row_bytes, RowScale* scales, bool low_rows) {
  of_length(
      k, [&](size_t length) __attribute__((always_inline)) {
        quantize_rows<W8A8, kSmooth>(
            m, length, src, src_stride, inv_smooth,
            scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i zero_point) __attribute__((always_inline)) {
              store_bytes(dst + row * row_bytes, i, q, zero_point, low_rows);
            });
      });
}

}  // namespace

size_t rowbytes_qa8_f32_1x32_avx2(size_t k) { return round_up(2 * k, 64); }

void quantize_qa8_f32_1x32_avx2(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? bytes_of_rows<true> : bytes_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<uint8_t*>(dst), row_bytes, scales, rows_are_low(m, k, src, src_stride));
}

// Rows behind a GELU are low whatever one of them looks like: a GEMM goes by runs of rows that are.
void geluquantize_qa8_f32_1x32_avx2(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                    void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* const rows = static_cast<uint8_t*>(dst);
  quantize_gelu_rows(
      m, k, src, src_stride, inv_smooth,
      scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i zero_point) __attribute__((always_inline)) {
        store_bytes(rows + row * row_bytes, i, q, zero_point, true);
      });
}

}  // namespace ert::kernels
