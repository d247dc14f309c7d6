// Rows of fp32 to signs and magnitudes, the form of signed_bytes.h or, where values are near the least one, of low_bytes.h.
#include "kernels_int8/loops/low_rows.h"
#include "kernels_int8/ref/gelu_quantize.h"
#include "kernels_int8/sse41/quantize_row.h"
#include "kernels_int8/simd/quantize16.h"
#include "kernels_int8/sse41/low_bytes.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
RowScale quantize_low_row(size_t k, const float* src, const float* inv_smooth, int8_t* dst) {
  return quantize_qa8_row<kSmooth>(
      k, src, inv_smooth, [=](size_t i, Lanes y, int32_t offset) __attribute__((always_inline)) {
        const Integers q = rounded(y);
        const __m128i zero_point = _mm_set1_epi16(static_cast<int16_t>(offset + 128));
        store_low_bytes(dst + kRowBytesPerValue * i, _mm_packus_epi16(_mm_adds_epi16(q.low, zero_point), _mm_adds_epi16(q.high, zero_point)));
      });
}

// Behind a GELU too, row by row as gelu_then_quantize calls it, whatever one of them looks like: a GEMM goes by runs of rows that are low.
void quantize_low_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst, size_t row_bytes,
                       RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes)
    scales[i] = inv_smooth != nullptr ? quantize_low_row<true>(k, src, inv_smooth, row) : quantize_low_row<false>(k, src, nullptr, row);
}

}  // namespace

size_t rowbytes_qa8_f32_1x16_sse41(size_t k) { return round_up(2 * k, 64); }

void quantize_qa8_f32_1x16_sse41(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  const auto rows = rows_are_low(m, k, src, src_stride) ? quantize_low_rows : quantize_qa8_rows;
  rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x16_sse41(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_sse41(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                     size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_sse41, quantize_low_rows>(m, k, src, src_stride, inv_smooth, dst,
                                                                                 row_bytes, scales);
}

}  // namespace ert::kernels
