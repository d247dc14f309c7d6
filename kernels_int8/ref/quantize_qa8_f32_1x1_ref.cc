// Activations to 8 bits with a zero point per row. Row format of the reference: k bytes u8.
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {
namespace {

F32 smoothed(const float* src, const float* inv_smooth, size_t i) {
  return inv_smooth != nullptr ? F32(src[i]) * F32(inv_smooth[i]) : F32(src[i]);
}

RowScale quantize_row(size_t k, const float* src, const float* inv_smooth, uint8_t* dst) {
  F32 lo = 0.0f;
  F32 hi = 0.0f;
  for (size_t i = 0; i < k; ++i) {
    const F32 y = smoothed(src, inv_smooth, i);
    lo = smaller(y, lo);
    hi = larger(y, hi);
  }
  const F32 range = hi - lo;
  if (!(range >= F32(kZeroRange))) {
    memset(dst, 0, k);
    return {0.0f, 0};
  }
  const F32 inv = F32(kMaxQa8) / range;
  const int32_t zero_point = round_to_int((F32(0.0f) - lo) * inv);
  for (size_t i = 0; i < k; ++i) {
    const int32_t q = round_to_int(smoothed(src, inv_smooth, i) * inv) + zero_point;
    dst[i] = static_cast<uint8_t>(q < 0 ? 0 : q > 255 ? 255 : q);
  }
  return {to_float(range / F32(kMaxQa8)), zero_point};
}

}  // namespace

size_t rowbytes_qa8_f32_1x1_ref(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x1_ref(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                              size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, row += row_bytes) {
    scales[i] = quantize_row(k, src + static_cast<ptrdiff_t>(i) * src_stride, inv_smooth, row);
  }
}

void geluquantize_qa8_f32_1x1_ref(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    for (size_t j = 0; j < k; ++j) src[j] = to_float(gelu_coarse(src[j]));
    scales[i] = quantize_row(k, src, inv_smooth, row);
  }
}

}  // namespace ert::kernels
