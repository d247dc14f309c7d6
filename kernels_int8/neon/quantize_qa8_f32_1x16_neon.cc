// Rows of fp32 to bytes q - 128 with a zero point per row.
#include "kernels_int8/gelu_quantize.h"
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
RowScale quantize_row(size_t k, const float* src, const float* inv_smooth, int8_t* dst) {
  Lanes lo = broadcast(0.0f), hi = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) {
        lo = minimum(y, lo);
        hi = maximum(y, hi);
      });
  const float lowest = smallest(lo);
  const float range = largest(hi) - lowest;
  RowScale scale = {0.0f, 0};
  float inv = 0.0f;
  if (range >= kZeroRange) {
    inv = kMaxQa8 / range;
    const float zero_point = (0.0f - lowest) * inv;
    scale = {range / kMaxQa8, vgetq_lane_s32(nearest(vdupq_n_f32(zero_point)), 0)};
  }
  const Lanes factor = broadcast(inv);
  const int16x8_t offset = vdupq_n_s16(static_cast<int16_t>(scale.zero_point - 128));
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) {
        const Integers q = rounded(y * factor);
        vst1q_s8(dst + i, bytes_of({vaddq_s16(q.low, offset), vaddq_s16(q.high, offset)}));
      });
  return scale;
}

}  // namespace

size_t rowbytes_qa8_f32_1x16_neon(size_t k) { return digit_bytes(k); }

void quantize_qa8_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    scales[i] = inv_smooth != nullptr ? quantize_row<true>(k, src, inv_smooth, row) : quantize_row<false>(k, src, nullptr, row);
  }
}

void gelucoarse_f32_f32_1x16_neon(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_neon(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                    size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_neon, quantize_qa8_f32_1x16_neon>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                               scales);
}

}  // namespace ert::kernels
