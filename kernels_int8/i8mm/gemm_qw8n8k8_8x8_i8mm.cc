// int8 GEMMs with smmla for weights packed as N8K8 (--target armv8-i8mm): up to 8 rows x one panel.
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/gemm_rows.h"

namespace ert::kernels {
namespace {

template <class Rows>
void gemm(const GemmArgs& g) {
  using Sums = MatrixSumsOf<Layout::kN8K8>;
  static constexpr TileFn kOnePanel[] = {Rows::template tile<Sums, 1, 2>, Rows::template tile<Sums, 2, 2>,
                                         Rows::template tile<Sums, 3, 2>, Rows::template tile<Sums, 4, 2>,
                                         Rows::template tile<Sums, 5, 2>, Rows::template tile<Sums, 6, 2>,
                                         Rows::template tile<Sums, 7, 2>, Rows::template tile<Sums, 8, 2>};
  gemm_columns<8, LastGroup::kCut, Layout::kN8K8>(kOnePanel, g, 0);
}

}  // namespace

void gemm_f32_qa8_qw8n8k8_8x8_i8mm(const GemmArgs& g) { gemm<Rows8>(g); }
void gemm_f32_qa16_qw8n8k8_8x8_i8mm(const GemmArgs& g) { gemm<Rows16>(g); }

}  // namespace ert::kernels
