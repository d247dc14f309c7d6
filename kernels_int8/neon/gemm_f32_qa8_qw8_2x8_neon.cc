// W8A8 GEMM of ARMv7: 2 rows x half a panel.
#include "kernels_int8/neon/gemm_columns.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {
namespace {

template <int kRows, int kQuads>
constexpr TileFn kTile = tile8<NeonSums, kRows, kQuads>;
constexpr TileFn kHalfPanel[] = {kTile<1, 2>, kTile<2, 2>};

}  // namespace

void gemm_f32_qa8_qw8_2x8_neon(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                               const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  gemm_columns<2>(kHalfPanel, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
}

}  // namespace ert::kernels
