// W8A8 GEMM: exact int32 sums of (q - zero_point) * w, then the fp32 epilogue.
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/packed_layout.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

void gemm_f32_qa8_qw8_1x1_ref(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                              const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  const uint8_t* row = static_cast<const uint8_t*>(lhs);
  for (size_t i = 0; i < m; ++i, row += row_bytes, dst += dst_stride) {
    for (size_t j = 0; j < n; ++j) {
      int32_t acc = 0;
      for (size_t kk = 0; kk < k; ++kk) acc += (row[kk] - scales[i].zero_point) * w.data[offset_n16k4(j, kk, k)];
      const F32 y = F32(static_cast<float>(acc)) * (F32(scales[i].scale) * F32(w.scale[j]));
      dst[j] = to_float(w.bias != nullptr ? y + F32(w.bias[j]) : y);
    }
  }
}

}  // namespace ert::kernels
