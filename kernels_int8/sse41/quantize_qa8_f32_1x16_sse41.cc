// Rows of fp32 to bytes and their magnitudes, the form of signed_bytes.h.
#include "kernels_int8/ref/gelu_quantize.h"
#include "kernels_int8/sse41/quantize_row.h"
#include "kernels_int8/simd/quantize16.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x16_sse41(size_t k) { return round_up(2 * k, 64); }

void quantize_qa8_f32_1x16_sse41(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  quantize_qa8_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x16_sse41(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_sse41(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                     size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_sse41, quantize_qa8_f32_1x16_sse41>(m, k, src, src_stride, inv_smooth, dst,
                                                                                 row_bytes, scales);
}

}  // namespace ert::kernels
