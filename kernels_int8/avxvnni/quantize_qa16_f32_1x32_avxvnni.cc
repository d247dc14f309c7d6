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
void one_row(size_t k, const float* src, const float* inv_smooth, uint8_t* hi_row, uint8_t* lo_row, RowScale* scale) {
  quantize16_row<kSmooth>(
      k, src, inv_smooth, scale, [&](size_t i, const __m256i(&q)[4]) __attribute__((always_inline)) {
        __m256i hi[4], lo[4];
        split_digits(q, hi, lo);
        store_u8(hi_row + i, hi);
        store_u8(lo_row + i, lo);
      });
}

}  // namespace

size_t ERT_AVXVNNI_NAME(rowbytes_qa16_f32_1x32)(size_t k) { return 2 * round_up(k, 64); }

void ERT_AVXVNNI_NAME(quantize_qa16_f32_1x32)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                              void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    if (inv_smooth != nullptr) {
      one_row<true>(k, src, inv_smooth, row, row + row_bytes / 2, scales + i);
    } else {
      one_row<false>(k, src, nullptr, row, row + row_bytes / 2, scales + i);
    }
  }
}

}  // namespace ert::kernels
