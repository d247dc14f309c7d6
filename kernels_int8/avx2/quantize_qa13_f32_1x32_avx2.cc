// Rows of fp32 to the int16 values of W12A13.
#include "kernels_int8/avx2/quantize_row.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
void integers_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, int16_t* dst,
                      size_t row_values, RowScale* scales) {
  quantize_rows<W12A13, kSmooth>(
      m, k, src, src_stride, inv_smooth, scales, [&](size_t row, size_t i, const __m256i(&q)[4], __m256i) __attribute__((always_inline)) {
        store16(dst + row * row_values + i, q);
      });
}

}  // namespace

void quantize_qa13_f32_1x32_avx2(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? integers_of_rows<true> : integers_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<int16_t*>(dst), row_bytes / sizeof(int16_t), scales);
}

}  // namespace ert::kernels
