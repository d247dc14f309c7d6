// Activations of W8A16: symmetric, two signed digits q = 128*hi + lo. Row format of the reference: k bytes hi, then at
// round_up(k, 64) k bytes lo.
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

F32 smoothed(const float* src, const float* inv_smooth, size_t i) {
  return inv_smooth != nullptr ? F32(src[i]) * F32(inv_smooth[i]) : F32(src[i]);
}

RowScale quantize_row(size_t k, const float* src, const float* inv_smooth, int8_t* hi, int8_t* lo) {
  F32 max = 0.0f;
  for (size_t i = 0; i < k; ++i) max = larger(absolute(smoothed(src, inv_smooth, i)), max);
  if (!(max >= F32(kZeroRange))) {
    memset(hi, 0, k);
    memset(lo, 0, k);
    return {0.0f, 0};
  }
  const F32 inv = F32(kMaxQ16) / max;
  for (size_t i = 0; i < k; ++i) {
    const int32_t q = round_to_int(smoothed(src, inv_smooth, i) * inv);
    const int32_t high = (q + 64) >> 7;  // lo in [-64, 63]
    hi[i] = static_cast<int8_t>(high);
    lo[i] = static_cast<int8_t>(q - 128 * high);
  }
  return {to_float(max / F32(kMaxQ16)), 0};
}

}  // namespace

size_t rowbytes_qa16_f32_1x1_ref(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x1_ref(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, row += row_bytes) {
    scales[i] = quantize_row(k, src + static_cast<ptrdiff_t>(i) * src_stride, inv_smooth, row, row + round_up(k, 64));
  }
}

}  // namespace ert::kernels
