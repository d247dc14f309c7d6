// Rows of fp32 to two rows of digits + 128 as u8: the high digits first, the low ones row_bytes / 2 later.
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/avxvnni/names.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) void store_u8(uint8_t* dst, const __m256i (&q)[4]) {
  // Packs work within 128-bit parts: 0-3 8-11 16-19 24-27 | 4-7 12-15 20-23 28-31.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  const __m256i digits = _mm256_xor_si256(_mm256_permutevar8x32_epi32(packed, order), _mm256_set1_epi8(-128));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), digits);
}

template <bool kSmooth>
void digits_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst,
                    size_t row_bytes, RowScale* scales) {
  quantize_rows<W8A16, kSmooth>(
      m, k, src, src_stride, inv_smooth,
      scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i) __attribute__((always_inline)) {
        uint8_t* to = dst + row * row_bytes;
        __m256i hi[4], lo[4];
        split_digits(q, hi, lo);
        store_u8(to + i, hi);
        store_u8(to + row_bytes / 2 + i, lo);
      });
}

}  // namespace

size_t ERT_AVXVNNI_NAME(rowbytes_qa16_f32_1x32)(size_t k) { return 2 * round_up(k, 64); }

void ERT_AVXVNNI_NAME(quantize_qa16_f32_1x32)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                              void* dst, size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? digits_of_rows<true> : digits_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<uint8_t*>(dst), row_bytes, scales);
}

}  // namespace ert::kernels
