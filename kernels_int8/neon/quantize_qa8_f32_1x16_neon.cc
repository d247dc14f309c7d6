// Rows of fp32 to bytes q - 128 with a zero point per row.
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/neon/row_format.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x16_neon(size_t k) { return digit_bytes(k); }

void quantize_qa8_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  quantize_qa8_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x16_neon(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_neon(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                    size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_neon, quantize_qa8_f32_1x16_neon>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                               scales);
}

}  // namespace ert::kernels
