// Depthwise convolution of 8, 24, 40, .. channels: the last eight in vectors of two outputs, which else would leave half of their lanes unused.
// Include a lanes16_<isa>.h first.
#pragma once

#include "kernels_int8/simd/depthwise16.h"

namespace ert::kernels {
namespace {

// The last eight channels, c on, of 2 * kPairs outputs: two outputs a vector.
template <int kPairs>
__attribute__((noinline)) void depthwise_pairs(const DepthwiseArgs& a, const float* src, float* dst, size_t c) {
  Lanes acc[kPairs];
  const Lanes start = a.bias != nullptr ? load_halves(a.bias + c, a.bias + c) : broadcast(0.0f);
#pragma GCC unroll 16
  for (int p = 0; p < kPairs; ++p) acc[p] = start;
  const float* row = src + c;
  const float* weights = a.weights + c;
  const ptrdiff_t step = a.src_step;
  const Clamp clamp = a.clamp;
  for (size_t i = 0; i < a.rows; ++i, row += a.src_row, weights += a.weights_row) {
    const float *x = row, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, x += a.src_tap, w += a.pixel) {
      const Lanes b = load_halves(w, w);
#pragma GCC unroll 16
      for (int p = 0; p < kPairs; ++p) acc[p] = acc[p] + load_halves(x + 2 * p * step, x + (2 * p + 1) * step) * b;
    }
  }
  dst += c;
#pragma GCC unroll 16
  for (int p = 0; p < kPairs; ++p, dst += 2 * a.pixel) store_halves(dst, dst + a.pixel, clamped(clamp, acc[p]));
}

template <size_t kMost>
struct DepthwisePairs {
  void (*of[kMost])(const DepthwiseArgs&, const float*, float*, size_t);  // entry p - 1 does p pairs of outputs
};
template <size_t... p>
constexpr DepthwisePairs<sizeof...(p)> depthwise_pair_tiles(std::index_sequence<p...>) {
  return {{depthwise_pairs<static_cast<int>(p) + 1>...}};
}

// At most kMost outputs or pairs of outputs share weights.
template <size_t kMost>
inline void depthwise_row_in_pairs(const DepthwiseArgs& a) {
  static constexpr auto kTiles = depthwise_pair_tiles(std::make_index_sequence<kMost>());
  if (a.channels % 16 != 8 || a.outputs < 2) return depthwise_row<kMost>(a);
  const size_t c = a.channels - 8, pairs = a.outputs / 2;
  if (c != 0) depthwise_channels<kMost>(a, 0, c);
  size_t blocks = (pairs + kMost - 1) / kMost;
  for (size_t p = 0; p < pairs; --blocks) {
    const size_t some = (pairs - p + blocks - 1) / blocks;
    kTiles.of[some - 1](a, a.src + static_cast<ptrdiff_t>(2 * p) * a.src_step, a.dst + 2 * p * a.pixel, c);
    p += some;
  }
  if (a.outputs % 2 == 0) return;
  DepthwiseArgs last = a;
  last.src += static_cast<ptrdiff_t>(2 * pairs) * a.src_step;
  last.dst += 2 * pairs * a.pixel;
  last.outputs = 1;
  depthwise_channels<1>(last, c, a.channels);
}

}  // namespace
}  // namespace ert::kernels
