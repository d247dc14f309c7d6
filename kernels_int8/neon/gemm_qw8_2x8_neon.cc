// int8 GEMMs of ARMv7: 2 rows x half a panel.
#include "kernels_int8/neon/gemm_rows.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {
namespace {

template <class Rows>
void gemm(const GemmArgs& g) {
  static constexpr TileFn kHalfPanel[] = {Rows::template tile<NeonSums, 1, 2>, Rows::template tile<NeonSums, 2, 2>};
  gemm_columns<8, LastGroup::kCut>(kHalfPanel, g, 0);
}

}  // namespace

void gemm_f32_qa8_qw8_2x8_neon(const GemmArgs& g) { gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_2x8_neon(const GemmArgs& g) { gemm<Rows16>(g); }

}  // namespace ert::kernels
