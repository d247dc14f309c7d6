// Rows of fp32 to bytes q - 128 with a zero point per row.
#include "kernels_int8/neon/quantize_row.h"
#ifdef __aarch64__
#include "kernels_int8/neon/quantize_short_rows.h"
#endif
#include "kernels_int8/neon/row_format.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x16_neon(size_t k) { return digit_bytes(k); }

void quantize_qa8_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
#ifdef __aarch64__
  switch (k) {
    case 16: return quantize_short_rows<2>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 24: return quantize_short_rows<3>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 32: return quantize_short_rows<4>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 40: return quantize_short_rows<5>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 48: return quantize_short_rows<6>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 56: return quantize_short_rows<7>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 64: return quantize_short_rows<8>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
  }
  if (k > 16 && k % 16 != 0) return quantize_ragged_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
#endif
  quantize_qa8_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x16_neon(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_neon(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                    size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_neon, quantize_qa8_f32_1x16_neon>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                               scales);
}

}  // namespace ert::kernels
