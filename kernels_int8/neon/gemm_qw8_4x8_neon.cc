// int8 GEMMs of AArch64 without dot products: 4 rows x half a panel, or one and two rows x a whole panel.
#include "kernels_int8/neon/gemm_rows.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {
namespace {

template <class Rows>
struct Tiles {
  template <int kRows, int kQuads>
  static constexpr TileFn kTile = Rows::template tile<NeonSums, kRows, kQuads>;
  static constexpr TileFn kHalfPanel[] = {kTile<1, 2>, kTile<2, 2>, kTile<3, 2>, kTile<4, 2>};
  static constexpr TileFn kWholePanel[] = {kTile<1, 4>, kTile<2, 4>};
};

template <class Rows>
void gemm(const GemmArgs& g) {
  if (g.m <= 2) {
    gemm_columns<16, LastGroup::kCut>(Tiles<Rows>::kWholePanel, g, 0);
  } else {
    gemm_columns<8, LastGroup::kCut>(Tiles<Rows>::kHalfPanel, g, 0);
  }
}

}  // namespace

void gemm_f32_qa8_qw8_4x8_neon(const GemmArgs& g) { gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_4x8_neon(const GemmArgs& g) { gemm<Rows16>(g); }

}  // namespace ert::kernels
