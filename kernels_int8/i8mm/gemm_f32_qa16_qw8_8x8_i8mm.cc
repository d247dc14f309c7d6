// W8A16 GEMM with smmla: up to 8 rows x half a panel. One and two rows, of which a pair would waste half or wait on latency, take
// the sdot kernel, which every CPU with i8mm runs.
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/gemm_columns.h"

namespace ert::kernels {
namespace {

template <int kRows>
constexpr TileFn kTile = tile16<MatrixSums, kRows, 2>;
constexpr TileFn kHalfPanel[] = {kTile<1>, kTile<2>, kTile<3>, kTile<4>, kTile<5>, kTile<6>, kTile<7>, kTile<8>};

}  // namespace

void gemm_f32_qa16_qw8_5x16_dotprod(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                                    const PackedWeights& w, float* dst, ptrdiff_t dst_stride);

void gemm_f32_qa16_qw8_8x8_i8mm(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                                const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  if (m <= 2) return gemm_f32_qa16_qw8_5x16_dotprod(m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
  gemm_columns<2>(kHalfPanel, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
}

}  // namespace ert::kernels
