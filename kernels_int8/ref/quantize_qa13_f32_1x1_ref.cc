// Activations of W12A13: symmetric, int16 values side by side.
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {

size_t rowbytes_qa13_f32_1x1_ref(size_t k) { return round_up(2 * k, 64); }

void quantize_qa13_f32_1x1_ref(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  int16_t* row = static_cast<int16_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes / sizeof(int16_t))
    scales[i] = quantize_symmetric_row(kMaxQ13, k, src, inv_smooth, [row](size_t at, int32_t q) { row[at] = static_cast<int16_t>(q); });
}

}  // namespace ert::kernels
