// Rows of fp32 to 15-bit values as int16, or to two rows of int16 digits for long rows (contract/exact_sums.h).
#include "kernels_int8/avx2/quantize_row.h"
#include "kernels_int8/contract/exact_sums.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
void digits_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst,
                    size_t row_bytes, RowScale* scales) {
  quantize_rows<W8A16, kSmooth>(
      m, k, src, src_stride, inv_smooth,
      scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i) __attribute__((always_inline)) {
        int16_t* first = reinterpret_cast<int16_t*>(dst + row * row_bytes);
        if (k <= kOneSumMaxK) {
          store16(first + i, q);
        } else {
          __m256i hi[4], lo[4];
          split_digits(q, hi, lo);
          store16(first + i, hi);
          store16(first + row_bytes / 4 + i, lo);
        }
      });
}

}  // namespace

size_t rowbytes_qa16_f32_1x32_avx2(size_t k) { return (k <= kOneSumMaxK ? 1 : 2) * round_up(2 * k, 64); }

void quantize_qa16_f32_1x32_avx2(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? digits_of_rows<true> : digits_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<uint8_t*>(dst), row_bytes, scales);
}

}  // namespace ert::kernels
