// Rows of fp32 to two rows of signed digits, q = 128 * hi + lo.
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {

size_t rowbytes_qa16_f32_1x16_neon(size_t k) { return 2 * digit_bytes(k); }

void quantize_qa16_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  const auto store = [=](int8_t * row, size_t i, Lanes y) __attribute__((always_inline)) {
    store_digits(row + i, row + row_bytes / 2 + i, y);
  };
  quantize_symmetric_rows(kMaxQ16, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales, store);
}

}  // namespace ert::kernels
