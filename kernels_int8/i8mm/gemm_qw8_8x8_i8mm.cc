// int8 GEMMs with smmla: up to 8 rows x half a panel. One and two rows, of which a pair would waste half or wait on latency, take
// the sdot kernel, which every CPU with i8mm runs.
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/gemm_rows.h"

namespace ert::kernels {
namespace {

template <class Rows>
void gemm(const GemmArgs& g) {
  static constexpr TileFn kHalfPanel[] = {Rows::template tile<MatrixSums, 1, 2>, Rows::template tile<MatrixSums, 2, 2>,
                                          Rows::template tile<MatrixSums, 3, 2>, Rows::template tile<MatrixSums, 4, 2>,
                                          Rows::template tile<MatrixSums, 5, 2>, Rows::template tile<MatrixSums, 6, 2>,
                                          Rows::template tile<MatrixSums, 7, 2>, Rows::template tile<MatrixSums, 8, 2>};
  gemm_columns<8, LastGroup::kCut>(kHalfPanel, g, 0);
}

}  // namespace

void gemm_f32_qa8_qw8_5x16_dotprod(const GemmArgs& g);
void gemm_f32_qa16_qw8_5x16_dotprod(const GemmArgs& g);

void gemm_f32_qa8_qw8_8x8_i8mm(const GemmArgs& g) { g.m <= 2 ? gemm_f32_qa8_qw8_5x16_dotprod(g) : gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_8x8_i8mm(const GemmArgs& g) { g.m <= 2 ? gemm_f32_qa16_qw8_5x16_dotprod(g) : gemm<Rows16>(g); }

}  // namespace ert::kernels
