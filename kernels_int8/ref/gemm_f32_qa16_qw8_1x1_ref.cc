// W8A16 GEMM: two exact int32 sums over the same packed weights, one per activation digit.
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/packed_layout.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

void gemm_f32_qa16_qw8_1x1_ref(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                               const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  const int8_t* hi = static_cast<const int8_t*>(lhs);
  for (size_t i = 0; i < m; ++i, hi += row_bytes, dst += dst_stride) {
    const int8_t* lo = hi + round_up(k, 64);
    for (size_t j = 0; j < n; ++j) {
      int32_t acc_hi = 0;
      int32_t acc_lo = 0;
      for (size_t kk = 0; kk < k; ++kk) {
        const int32_t weight = w.data[offset_n16k4(j, kk, k)];
        acc_hi += hi[kk] * weight;
        acc_lo += lo[kk] * weight;
      }
      const F32 acc = F32(static_cast<float>(acc_hi)) * F32(128.0f) + F32(static_cast<float>(acc_lo));
      const F32 y = acc * (F32(scales[i].scale) * F32(w.scale[j]));
      dst[j] = to_float(w.bias != nullptr ? y + F32(w.bias[j]) : y);
    }
  }
}

}  // namespace ert::kernels
