// fp32 GEMM: every output adds its products in the order of k, multiply and add rounded apart.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

void gemm_f32_f32_f32_1x1_ref(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride, ptrdiff_t lhs_k_stride,
                              const float* rhs, ptrdiff_t rhs_stride, const float* bias, float* dst, ptrdiff_t dst_stride) {
  for (size_t i = 0; i < m; ++i) {
    const float* row = lhs + static_cast<ptrdiff_t>(i) * lhs_stride;
    for (size_t j = 0; j < n; ++j) {
      F32 acc = 0.0f;
      // Offsets that are added to: cores without vector units run this, and multiplying would double the loop.
      ptrdiff_t at = 0, rhs_at = static_cast<ptrdiff_t>(j);
      for (size_t kk = 0; kk < k; ++kk, at += lhs_k_stride, rhs_at += rhs_stride) acc = acc + F32(row[at]) * F32(rhs[rhs_at]);
      if (bias != nullptr) acc = acc + F32(bias[j]);
      dst[static_cast<ptrdiff_t>(i) * dst_stride + static_cast<ptrdiff_t>(j)] = to_float(acc);
    }
  }
}

}  // namespace ert::kernels
