// Rows of fp32 to 15-bit values as int16, or to two rows of int16 digits for long rows (contract/exact_sums.h).
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/contract/exact_sums.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) void store16(int16_t* dst, const __m256i (&q)[4]) {
  const __m256i a = _mm256_permute4x64_epi64(_mm256_packs_epi32(q[0], q[1]), 0xd8);
  const __m256i b = _mm256_permute4x64_epi64(_mm256_packs_epi32(q[2], q[3]), 0xd8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + 16), b);
}

template <bool kSmooth>
void one_row(size_t k, const float* src, const float* inv_smooth, int16_t* dst, int16_t* dst_lo, RowScale* scale) {
  quantize16_row<kSmooth>(
      k, src, inv_smooth, scale, [&](size_t i, const __m256i(&q)[4]) __attribute__((always_inline)) {
        if (k <= kOneSumMaxK) {
          store16(dst + i, q);
        } else {
          __m256i hi[4], lo[4];
          split_digits(q, hi, lo);
          store16(dst + i, hi);
          store16(dst_lo + i, lo);
        }
      });
}

}  // namespace

size_t rowbytes_qa16_f32_1x32_avx2(size_t k) { return (k <= kOneSumMaxK ? 1 : 2) * round_up(2 * k, 64); }

void quantize_qa16_f32_1x32_avx2(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    int16_t* first = reinterpret_cast<int16_t*>(row);
    int16_t* second = reinterpret_cast<int16_t*>(row + row_bytes / 2);
    if (inv_smooth != nullptr) {
      one_row<true>(k, src, inv_smooth, first, second, scales + i);
    } else {
      one_row<false>(k, src, nullptr, first, second, scales + i);
    }
  }
}

}  // namespace ert::kernels
