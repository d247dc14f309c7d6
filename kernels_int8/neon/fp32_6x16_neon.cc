// fp32 GEMM and attention of this level, written once in simd/. Six rows of one 16-column panel are 24 of the 32 registers of
// AArch64.
#include "kernels_int8/neon/ordered_products.h"

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/attention16.h"

namespace ert::kernels {

static_assert(kGemmRows == 6, "the name says the tile");

void gemm_f32_f32_f32_6x16_neon(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride, ptrdiff_t lhs_k_stride,
                                const float* rhs, ptrdiff_t rhs_stride, const float* bias, float* dst, ptrdiff_t dst_stride) {
  gemm_f32_tiled({m, n, k, lhs, lhs_stride, lhs_k_stride, rhs, rhs_stride, bias, dst, dst_stride});
}
void attention_f32_f32_f32_16x16_neon(const AttentionArgs& a) { attention_rows16(a); }

}  // namespace ert::kernels
