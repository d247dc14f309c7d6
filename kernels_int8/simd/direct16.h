// Dense convolution in place, 16 lanes across filters: the tile of gemm16.h, whose rows are read from the map instead of from patches.
// Include a lanes16_<isa>.h first; it sets the tile sizes.
#pragma once

#include <utility>

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/clamp.h"
#include "kernels_int8/simd/products16.h"

namespace ert::kernels {
namespace {

// kOutputs outputs from src and dst on; filters [filter, filter + 16 * kPanels), of which the last panel has `last` (16 unless kPartial).
template <int kOutputs, int kPanels, bool kPartial>
__attribute__((noinline)) void direct_tile(const DirectArgs& a, const float* src, float* dst, size_t filter, size_t last) {
  Lanes acc[kOutputs][kPanels];
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = broadcast(0.0f);
  }
  const float* weights = a.weights + filter;
  const ptrdiff_t step = a.src_step;
  const Clamp clamp = a.clamp;
  for (size_t i = 0; i < a.rows; ++i, src += a.src_row, weights += a.weights_row) {
    const float *tap = src, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap) {
      const float* x = tap;
      for (size_t c = 0; c < a.channels; ++c, x += a.src_channel, w += a.filters) {
        Lanes b[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) b[p] = kPartial && p == kPanels - 1 ? load_first(w + 16 * p, last) : load(w + 16 * p);
        add_products(acc, x, step, b);
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    const bool part = kPartial && p == kPanels - 1;
    const size_t at = filter + 16 * static_cast<size_t>(p);
    Lanes bias = broadcast(-0.0f);  // x + -0 is x
    if (a.bias != nullptr) bias = part ? load_first(a.bias + at, last) : load(a.bias + at);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      float* to = dst + static_cast<size_t>(r) * a.filters + at;
      const Lanes y = clamped(clamp, acc[r][p] + bias);
      if (part) {
        store_first(to, y, last);
      } else {
        store(to, y);
      }
    }
  }
}

// The last eight filters of 2 * kPairs outputs: two outputs a vector.
template <int kPairs>
__attribute__((noinline)) void direct_pairs(const DirectArgs& a, const float* src, float* dst, size_t filter, size_t) {
  Lanes acc[kPairs];
#pragma GCC unroll 16
  for (int r = 0; r < kPairs; ++r) acc[r] = broadcast(0.0f);
  const float* weights = a.weights + filter;
  const ptrdiff_t step = a.src_step;
  const Clamp clamp = a.clamp;
  for (size_t i = 0; i < a.rows; ++i, src += a.src_row, weights += a.weights_row) {
    const float *tap = src, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap) {
      const float* x = tap;
      for (size_t c = 0; c < a.channels; ++c, x += a.src_channel, w += a.filters) {
        const Lanes b = load_halves(w, w);
#pragma GCC unroll 16
        for (int r = 0; r < kPairs; ++r) acc[r] = acc[r] + broadcast_halves(x[2 * r * step], x[(2 * r + 1) * step]) * b;
      }
    }
  }
  Lanes bias = broadcast(-0.0f);  // x + -0 is x
  if (a.bias != nullptr) bias = load_halves(a.bias + filter, a.bias + filter);
  dst += filter;
#pragma GCC unroll 16
  for (int r = 0; r < kPairs; ++r, dst += 2 * a.filters) store_halves(dst, dst + a.filters, clamped(clamp, acc[r] + bias));
}

using DirectTileFn = void (*)(const DirectArgs&, const float* src, float* dst, size_t filter, size_t last);

// Entry r - 1 does r outputs.
template <size_t kMost>
struct DirectTiles {
  DirectTileFn of[kMost];
};
template <int kPanels, bool kPartial, size_t... r>
constexpr DirectTiles<sizeof...(r)> direct_tiles(std::index_sequence<r...>) {
  return {{direct_tile<static_cast<int>(r) + 1, kPanels, kPartial>...}};
}
template <int kPanels, bool kPartial, int kMost = kGemmRows>
constexpr auto kDirectTiles = direct_tiles<kPanels, kPartial>(std::make_index_sequence<kMost>());

template <size_t... r>
constexpr DirectTiles<sizeof...(r)> direct_pair_tiles(std::index_sequence<r...>) {
  return {{direct_pairs<static_cast<int>(r) + 1>...}};
}

// All outputs of one group of filters, kTogether of them a unit of the tiles (what is left of a unit is not done), split evenly: 9 are 5 + 4, not 8 + 1.
template <size_t kTogether = 1, size_t kMost>
inline void direct_outputs(const DirectArgs& a, const DirectTiles<kMost>& tiles, size_t filter, size_t last) {
  const size_t units = a.outputs / kTogether;
  size_t blocks = (units + kMost - 1) / kMost;
  for (size_t unit = 0; unit < units; --blocks) {
    const size_t some = (units - unit + blocks - 1) / blocks, at = kTogether * unit;
    tiles.of[some - 1](a, a.src + static_cast<ptrdiff_t>(at) * a.src_step, a.dst + at * a.filters, filter, last);
    unit += some;
  }
}

inline void direct_row(const DirectArgs& a) {
  constexpr size_t kWide = 16 * kGemmPanels;
  size_t filter = 0;
  // Edges are one output or two: sums of their own are what keeps the adders busy.
  if (a.outputs <= 2 && kGemmRows > 2 && kGemmPanelsFewRows >= 4) {
    for (; filter + 64 <= a.filters; filter += 64) direct_outputs(a, kDirectTiles<4, false, 2>, filter, 16);
  }
  for (; filter + kWide <= a.filters; filter += kWide) direct_outputs(a, kDirectTiles<kGemmPanels, false>, filter, 16);
  if (kGemmPanels > 1) {
    if (kGemmPanels == 2 && filter + 16 < a.filters)
      return direct_outputs(a, kDirectTiles<kGemmPanels, true>, filter, a.filters - filter - 16);
    for (; filter + 16 <= a.filters; filter += 16) direct_outputs(a, kDirectTiles<1, false>, filter, 16);
  }
  if (filter == a.filters) return;
  DirectArgs rest = a;
  if (!kPredicatedAccess && a.filters - filter == 8) {
    static constexpr auto kPairs = direct_pair_tiles(std::make_index_sequence<kGemmRows>());
    direct_outputs<2>(a, kPairs, filter, 8);
    if (a.outputs % 2 == 0) return;
    const size_t done = a.outputs - 1;
    rest.src += static_cast<ptrdiff_t>(done) * a.src_step;
    rest.dst += done * a.filters;
    rest.outputs = 1;
  }
  direct_outputs(rest, kDirectTiles<1, true>, filter, a.filters - filter);
}

}  // namespace
}  // namespace ert::kernels
