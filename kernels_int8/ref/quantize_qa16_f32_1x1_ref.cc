// Activations of W8A16: symmetric, two signed digits q = 128*hi + lo. Row format of the reference: k bytes hi, then at
// round_up(k, 64) k bytes lo.
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {

size_t rowbytes_qa16_f32_1x1_ref(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x1_ref(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  int8_t* hi = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, hi += row_bytes) {
    int8_t* lo = hi + round_up(k, 64);
    scales[i] = quantize_qa16_row(k, src, inv_smooth, [hi, lo](size_t at, int32_t q) {
      hi[at] = static_cast<int8_t>(high_digit(q));
      lo[at] = static_cast<int8_t>(q - 128 * high_digit(q));
    });
  }
}

}  // namespace ert::kernels
