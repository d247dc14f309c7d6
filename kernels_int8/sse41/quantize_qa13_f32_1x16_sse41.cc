// Rows of fp32 to the int16 values of W12A13.
#include "kernels_int8/sse41/quantize_row.h"
#include "kernels_int8/simd/quantize16.h"

namespace ert::kernels {

void quantize_qa13_f32_1x16_sse41(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  const auto store = [](int8_t * row, size_t i, Lanes y) __attribute__((always_inline)) {
    const Integers q = rounded(y);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row + 2 * i), q.low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row + 2 * i + 16), q.high);
  };
  quantize_symmetric_rows(kMaxQ13, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales, store);
}

}  // namespace ert::kernels
