// Activations to 8 bits with a zero point per row. Row format of the reference: k bytes u8.
#include "kernels_int8/ref/gelu_quantize.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x1_ref(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x1_ref(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                              size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    scales[i] = quantize_qa8_row(k, src, inv_smooth, [row](size_t at, int32_t q, int32_t) { row[at] = static_cast<uint8_t>(q); });
  }
}

void gelucoarse_f32_f32_1x1_ref(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x1_ref(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x1_ref, quantize_qa8_f32_1x1_ref>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                           scales);
}

}  // namespace ert::kernels
