// int8 GEMMs with sdot: up to 5 rows x one panel; one row takes four panels side by side and two rows two, to hide latency.
#include <type_traits>

#include "kernels_int8/dotprod/gemm_rows8.h"

namespace ert::kernels {
namespace {

template <class Rows>
struct Tiles {
  template <int kRows, int kQuads>
  static constexpr TileFn kTile = Rows::template tile<DotSums, kRows, kQuads>;
  static constexpr TileFn kOnePanel[] = {kTile<1, 4>, kTile<2, 4>, kTile<3, 4>, kTile<4, 4>, kTile<5, 4>};
  static constexpr TileFn kTwoPanels[] = {kTile<1, 8>, kTile<2, 8>};
  static constexpr TileFn kFourPanels[] = {kTile<1, 16>};
};

// Groups of several panels only where all of them exist: tiles read whole groups.
template <class Rows>
void gemm(const GemmArgs& g) {
  size_t column = 0;
  if (g.m == 1) column = gemm_columns<64, LastGroup::kWhole>(Tiles<Rows>::kFourPanels, g, column);
  if (g.m == 2) column = gemm_columns<32, LastGroup::kWhole>(Tiles<Rows>::kTwoPanels, g, column);
  if constexpr (std::is_same_v<Rows, Rows8>)
    if (g.m > 2) column = has_small_sums(g) ? gemm_columns8<true>(g) : gemm_columns8<false>(g);
  gemm_columns<16, LastGroup::kCut>(Tiles<Rows>::kOnePanel, g, column);
}

}  // namespace

void gemm_f32_qa8_qw8_5x16_dotprod(const GemmArgs& g) { gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_5x16_dotprod(const GemmArgs& g) { gemm<Rows16>(g); }

}  // namespace ert::kernels
