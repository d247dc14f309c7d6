// Rows of fp32 to two rows of signed digits, q = 128 * hi + lo.
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
RowScale quantize_row(size_t k, const float* src, const float* inv_smooth, int8_t* hi, int8_t* lo) {
  Lanes max = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) { max = maximum(absolute(y), max); });
  const float absmax = largest(max);
  const bool zero = !(absmax >= kZeroRange);
  const Lanes factor = broadcast(zero ? 0.0f : kMaxQ16 / absmax);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) {
        const Digits d = digits_of(rounded(y * factor));
        vst1q_s8(hi + i, d.hi);
        vst1q_s8(lo + i, d.lo);
      });
  return {zero ? 0.0f : absmax / kMaxQ16, 0};
}

}  // namespace

size_t rowbytes_qa16_f32_1x16_neon(size_t k) { return 2 * digit_bytes(k); }

void quantize_qa16_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    int8_t* lo = row + row_bytes / 2;
    scales[i] =
        inv_smooth != nullptr ? quantize_row<true>(k, src, inv_smooth, row, lo) : quantize_row<false>(k, src, nullptr, row, lo);
  }
}

}  // namespace ert::kernels
