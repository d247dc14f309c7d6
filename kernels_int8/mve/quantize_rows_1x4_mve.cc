// Rows of fp32 to bytes q - 128 with a zero point (W8A8), and to two digits (W8A16), four values at a time: ref/quantize_row.h operation by
// operation. Largest and smallest values do not depend on an order, so nothing asks for sixteen lanes.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/mve/fours_mve.h"
#include "kernels_int8/mve/store_digits.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {
namespace {

// Four values of a row, times inv_smooth unless that is null.
struct Smoothed {
  const float* src;
  const float* inv_smooth;
  template <class Four>
  inline __attribute__((always_inline)) float32x4_t load(size_t i, Four four) const {
    const float32x4_t y = four.load(src + i);
    return inv_smooth != nullptr ? vmulq_f32(y, four.load(inv_smooth + i)) : y;
  }
};

RowScale quantize_qa8_row(size_t k, const Smoothed& row, int8_t* dst) {
  // By bits, as in ref/quantize_row.h: the instructions' own maximum loses NaN.
  int32x4_t hi = vdupq_n_s32(0);
  uint32x4_t lo = vdupq_n_u32(0x80000000u);
  for_fours(
      k, [&](size_t i, auto four) __attribute__((always_inline)) {
        const float32x4_t y = row.load(i, four);
        hi = vmaxq_s32(vreinterpretq_s32_f32(y), hi);
        lo = vmaxq_u32(vreinterpretq_u32_f32(y), lo);
      });
  const float lowest = __builtin_bit_cast(float, vmaxvq_u32(0x80000000u, lo));
  const float range = __builtin_bit_cast(float, vmaxvq_s32(0, hi)) - lowest;
  RowScale scale = {scale_of_no_range(range), 0};
  float inv = 0.0f;
  if (range >= kZeroRange && range <= kLargestFloat) {
    inv = kMaxQa8 / range;
    scale = {range / kMaxQa8, vcvtnq_s32_f32(vdupq_n_f32((0.0f - lowest) * inv))[0]};
  }
  const int32_t offset = scale.zero_point - 128;
  for_fours(
      k, [&](size_t i, auto four) __attribute__((always_inline)) {
        const int32x4_t sum = vaddq_n_s32(vcvtnq_s32_f32(vmulq_n_f32(row.load(i, four), inv)), offset);
        vstrbq_s32(dst + i, vminq_s32(vmaxq_s32(sum, vdupq_n_s32(-128)), vdupq_n_s32(127)));
      });
  return scale;
}

// The low digits stand `half` behind the high ones.
RowScale quantize_qa16_row(size_t k, const Smoothed& row, int8_t* dst, size_t half) {
  int32x4_t most = vdupq_n_s32(0);
  for_fours(
      k, [&](size_t i, auto four) __attribute__((always_inline)) {
        most = vmaxq_s32(vreinterpretq_s32_f32(vabsq_f32(row.load(i, four))), most);
      });
  const float max = __builtin_bit_cast(float, vmaxvq_s32(0, most));
  const bool zero = !(max >= kZeroRange && max <= kLargestFloat);
  const float inv = zero ? 0.0f : kMaxQ16 / max;
  for_fours(
      k, [&](size_t i, auto four) __attribute__((always_inline)) {
        store_digits4(dst + i, dst + half + i, vmulq_n_f32(row.load(i, four), inv));
      });
  return {zero ? scale_of_no_range(max) : max / kMaxQ16, 0};
}

}  // namespace

size_t rowbytes_qa8_f32_1x4_mve(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x4_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                              size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) scales[i] = quantize_qa8_row(k, {src, inv_smooth}, row);
}

void gelucoarse_f32_f32_1x4_mve(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x4_mve(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x4_mve, quantize_qa8_f32_1x4_mve>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                           scales);
}

size_t rowbytes_qa16_f32_1x4_mve(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x4_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes)
    scales[i] = quantize_qa16_row(k, {src, inv_smooth}, row, row_bytes / 2);
}

}  // namespace ert::kernels
