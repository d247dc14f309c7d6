// Rows of fp32 to the int16 rows of row_format.h.
#include "kernels_int8/dsp/row_format.h"
#include "kernels_int8/ref/gelu_quantize.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x1_dsp(size_t k) { return int16_row_bytes(k); }

void quantize_qa8_f32_1x1_dsp(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                              size_t row_bytes, RowScale* scales) {
  for (size_t i = 0; i < m; ++i, src += src_stride) {
    int16_t* row = static_cast<int16_t*>(dst) + i * (row_bytes / 2);
    scales[i] = quantize_qa8_row(k, src, inv_smooth, [row](size_t at, int32_t q, int32_t zero_point) {
      row[place_of(at)] = static_cast<int16_t>(q - zero_point);
    });
  }
}

void gelucoarse_f32_f32_1x1_ref(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x1_dsp(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x1_ref, quantize_qa8_f32_1x1_dsp>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                           scales);
}

size_t rowbytes_qa16_f32_1x1_dsp(size_t k) { return (k <= kOneSumMaxK ? 1 : 2) * int16_row_bytes(k); }

void quantize_qa16_f32_1x1_dsp(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  for (size_t i = 0; i < m; ++i, src += src_stride) {
    int16_t* row = static_cast<int16_t*>(dst) + i * (row_bytes / 2);
    int16_t* low = row + row_bytes / 4;
    scales[i] = quantize_qa16_row(k, src, inv_smooth, [=](size_t at, int32_t q) {
      if (k <= kOneSumMaxK) {
        row[place_of(at)] = static_cast<int16_t>(q);
      } else {
        row[place_of(at)] = static_cast<int16_t>(high_digit(q));
        low[place_of(at)] = static_cast<int16_t>(q - 128 * high_digit(q));
      }
    });
  }
}

}  // namespace ert::kernels
