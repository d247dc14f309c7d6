// int8 GEMMs of AArch64 without dot products for cores that issue in order: up to 4 rows x half a panel.
#include <type_traits>

#include "kernels_int8/neon/gemm_panels_inorder.h"

namespace ert::kernels {
namespace {

template <class Rows>
struct Tiles {
  template <int kRows>
  static constexpr TileFn kTile = Rows::template tile<InOrderNeonSums, kRows, 2>;
  static constexpr TileFn kHalfPanel[] = {kTile<1>, kTile<2>, kTile<3>, kTile<4>};
};

template <class Rows>
void gemm(const GemmArgs& g) {
  uint16_t order[kMostBlocks + 1];
  size_t column = 0;
  if constexpr (std::is_same_v<Rows, Rows8>) column = gemm_half_panels(g, order);
  if (column == g.n) return;
  LineBlocks blocks = blocks_in_order(round_up(g.k, 4), order);
  gemm_columns<8, LastGroup::kCut>(Tiles<Rows>::kHalfPanel, g, column, [&](TileArgs* t) {
    if (g.m >= kRowsForBlocks) blocks = blocks_that_fit_first(t->rhs, t->k, order);
    t->blocks = &blocks;
  });
}

}  // namespace

void gemm_f32_qa8_qw8_4x8_neon_inorder(const GemmArgs& g) { gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_4x8_neon_inorder(const GemmArgs& g) { gemm<Rows16>(g); }

}  // namespace ert::kernels
