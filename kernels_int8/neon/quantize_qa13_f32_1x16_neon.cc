// Rows of fp32 to the int16 values of W12A13.
#include "kernels_int8/neon/quantize_row.h"

namespace ert::kernels {

void quantize_qa13_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  const auto store = [](int8_t * row, size_t i, Lanes y) __attribute__((always_inline)) {
    const Integers q = rounded(y);
    vst1q_u8(reinterpret_cast<uint8_t*>(row + 2 * i), vreinterpretq_u8_s16(q.low));
    vst1q_u8(reinterpret_cast<uint8_t*>(row + 2 * i + 16), vreinterpretq_u8_s16(q.high));
  };
  quantize_symmetric_rows(kMaxQ13, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales, store);
}

}  // namespace ert::kernels
