// fp32 GEMM and attention of this level, written once in simd/. Eight rows of two 16-column panels are 16 of the 32 registers.
#include "kernels_int8/avx512vnni/gemm_one_column.h"
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/attention16.h"

namespace ert::kernels {

void gemm_f32_f32_f32_8x32_avx512vnni(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride,
                                      ptrdiff_t lhs_k_stride, const float* rhs, ptrdiff_t rhs_stride, const float* bias,
                                      float* dst, ptrdiff_t dst_stride) {
  size_t row = 0;
  if (n == 1 && lhs_k_stride == 1) {
    for (; row + 16 <= m; row += 16, lhs += 16 * lhs_stride) {
      float sums[16];
      _mm512_storeu_ps(sums, sixteen_products(k, lhs, lhs_stride, rhs, rhs_stride, bias));
      for (int r = 0; r < 16; ++r, dst += dst_stride) *dst = sums[r];
    }
  }
  gemm_f32_tiled({m - row, n, k, lhs, lhs_stride, lhs_k_stride, rhs, rhs_stride, bias, dst, dst_stride});
}
void attention_f32_f32_f32_16x16_avx512vnni(const AttentionArgs& a) { attention_rows16(a); }

}  // namespace ert::kernels
