// fp32 GEMM in 16 lanes across columns: a tile of kRows x 16*kPanels outputs stays in registers over the whole k, each output
// adding its products in the order of k. Include a lanes16_<isa>.h first; it sets the tile sizes.
#pragma once

#include <utility>

#include "kernels_int8/simd/products16.h"

namespace ert::kernels {
namespace {

struct GemmF32 {
  size_t m, n, k;
  const float* lhs;
  ptrdiff_t lhs_stride, lhs_k_stride;
  const float* rhs;
  ptrdiff_t rhs_stride;
  const float* bias;  // may be null
  float* dst;
  ptrdiff_t dst_stride;
};

// Columns [column, column + 16 * kPanels), of which the last panel has `last` (16 unless kPartial).
template <int kRows, int kPanels, bool kPartial>
__attribute__((noinline)) void gemm_tile(const GemmF32& g, size_t row, size_t column, size_t last) {
  Lanes acc[kRows][kPanels];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = broadcast(0.0f);
  }
  const float* lhs = g.lhs + static_cast<ptrdiff_t>(row) * g.lhs_stride;
  const float* rhs = g.rhs + column;
  const ptrdiff_t stride = g.lhs_stride;
  for (size_t kk = 0; kk < g.k; ++kk, lhs += g.lhs_k_stride, rhs += g.rhs_stride) {
    Lanes b[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      b[p] = kPartial && p == kPanels - 1 ? load_first(rhs + 16 * p, last) : load(rhs + 16 * p);
    }
    add_products(acc, lhs, stride, b);
  }
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    const bool part = kPartial && p == kPanels - 1;
    const size_t at = column + 16 * static_cast<size_t>(p);
    Lanes bias = broadcast(-0.0f);  // x + -0 is x
    if (g.bias != nullptr) bias = part ? load_first(g.bias + at, last) : load(g.bias + at);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      float* dst = g.dst + static_cast<ptrdiff_t>(row + static_cast<size_t>(r)) * g.dst_stride + at;
      const Lanes y = acc[r][p] + bias;
      if (part) {
        store_first(dst, y, last);
      } else {
        store(dst, y);
      }
    }
  }
}

// The last eight columns of 2 * kPairs rows: two rows a vector.
template <int kPairs>
__attribute__((noinline)) void gemm_pairs(const GemmF32& g, size_t row, size_t column, size_t) {
  Lanes acc[kPairs];
#pragma GCC unroll 16
  for (int r = 0; r < kPairs; ++r) acc[r] = broadcast(0.0f);
  const float* lhs = g.lhs + static_cast<ptrdiff_t>(row) * g.lhs_stride;
  const float* rhs = g.rhs + column;
  const ptrdiff_t stride = g.lhs_stride;
  for (size_t kk = 0; kk < g.k; ++kk, lhs += g.lhs_k_stride, rhs += g.rhs_stride) {
    const Lanes b = load_halves(rhs, rhs);
#pragma GCC unroll 16
    for (int r = 0; r < kPairs; ++r) acc[r] = acc[r] + broadcast_halves(lhs[2 * r * stride], lhs[(2 * r + 1) * stride]) * b;
  }
  Lanes bias = broadcast(-0.0f);  // x + -0 is x
  if (g.bias != nullptr) bias = load_halves(g.bias + column, g.bias + column);
  float* dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
#pragma GCC unroll 16
  for (int r = 0; r < kPairs; ++r, dst += 2 * g.dst_stride) store_halves(dst, dst + g.dst_stride, acc[r] + bias);
}

using GemmTileFn = void (*)(const GemmF32&, size_t row, size_t column, size_t last);

// Entry r - 1 does r rows.
template <size_t kMaxRows>
struct GemmTiles {
  GemmTileFn rows[kMaxRows];
};
template <int kPanels, bool kPartial, size_t... r>
constexpr GemmTiles<sizeof...(r)> make_tiles(std::index_sequence<r...>) {
  return {{gemm_tile<static_cast<int>(r) + 1, kPanels, kPartial>...}};
}
template <int kMaxRows, int kPanels, bool kPartial>
constexpr auto kGemmTiles = make_tiles<kPanels, kPartial>(std::make_index_sequence<kMaxRows>());

template <size_t... r>
constexpr GemmTiles<sizeof...(r)> make_pair_tiles(std::index_sequence<r...>) {
  return {{gemm_pairs<static_cast<int>(r) + 1>...}};
}

// All rows of one group of columns, kTogether of them a unit of the tiles (what is left of a unit is not done), split evenly: 9 rows are 5 + 4, not 8 + 1.
template <size_t kTogether = 1, size_t kMost>
inline void gemm_rows(const GemmF32& g, const GemmTiles<kMost>& tiles, size_t column, size_t last) {
  const size_t units = g.m / kTogether;
  size_t blocks = (units + kMost - 1) / kMost;
  for (size_t unit = 0; unit < units; --blocks) {
    const size_t some = (units - unit + blocks - 1) / blocks;
    tiles.rows[some - 1](g, kTogether * unit, column, last);
    unit += some;
  }
}

inline void gemm_f32_tiled(const GemmF32& g) {
  constexpr size_t kWide = 16 * kGemmPanels;
  size_t column = 0;
  if (g.m <= 2) {
    constexpr size_t kFew = 16 * kGemmPanelsFewRows;
    constexpr int kFewRows = kGemmRows < 2 ? kGemmRows : 2;
    for (; column + kFew <= g.n; column += kFew) gemm_rows(g, kGemmTiles<kFewRows, kGemmPanelsFewRows, false>, column, 16);
  }
  for (; column + kWide <= g.n; column += kWide) gemm_rows(g, kGemmTiles<kGemmRows, kGemmPanels, false>, column, 16);
  for (; column + 16 <= g.n; column += 16) gemm_rows(g, kGemmTiles<kGemmRows, 1, false>, column, 16);
  if (!kPredicatedAccess && g.n - column == 8) {
    static constexpr auto kPairs = make_pair_tiles(std::make_index_sequence<kGemmRows < 4 ? kGemmRows : 4>());  // of more, compilers keep sums in memory
    gemm_rows<2>(g, kPairs, column, 8);
    if (g.m % 2 != 0) kGemmTiles<kGemmRows, 1, true>.rows[0](g, g.m - 1, column, 8);
    return;
  }
  if (column < g.n) gemm_rows(g, kGemmTiles<kGemmRows, 1, true>, column, g.n - column);
}

}  // namespace
}  // namespace ert::kernels
