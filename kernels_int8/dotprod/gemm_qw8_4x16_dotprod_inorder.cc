// int8 GEMMs with sdot for cores that issue in order: up to 4 rows x one panel.
#include "kernels_int8/dotprod/gemm_tile_inorder.h"
#include "kernels_int8/neon/gemm_rows.h"

namespace ert::kernels {
namespace {

template <class Rows>
struct Tiles {
  template <int kRows>
  static constexpr TileFn kTile = Rows::template tile<InOrderDotSums, kRows, 4>;
  static constexpr TileFn kOnePanel[] = {kTile<1>, kTile<2>, kTile<3>, kTile<4>};
};

}  // namespace

void gemm_f32_qa8_qw8_4x16_dotprod_inorder(const GemmArgs& g) {
  gemm_columns<16, LastGroup::kCut>(Tiles<Rows8>::kOnePanel, g, 0);
}
void gemm_f32_qa16_qw8_4x16_dotprod_inorder(const GemmArgs& g) {
  gemm_columns<16, LastGroup::kCut>(Tiles<Rows16>::kOnePanel, g, 0);
}

}  // namespace ert::kernels
