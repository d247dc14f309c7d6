// Depthwise convolution in vectors of Lanes across channels: neighbouring outputs, as many as there are registers for, share each vector of
// weights. Include a lanes16_<isa>.h, or mve/lanes4_mve.h, first.
#pragma once

#include <utility>

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/clamp.h"

namespace ert::kernels {
namespace {

constexpr size_t kChannels = sizeof(Lanes) / sizeof(float);  // of one vector

// Channels [c, c + count) of kOutputs outputs from src and dst on, count = kVectors * kChannels unless kPartial.
template <int kOutputs, int kVectors, bool kPartial>
ERT_LANES void depthwise_block(const DepthwiseArgs& a, const float* src, float* dst, size_t c, size_t count) {
  static_assert(!kPartial || kVectors == 1);
  Lanes acc[kOutputs][kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const size_t at = c + kChannels * static_cast<size_t>(v);
    Lanes start = broadcast(0.0f);
    if (a.bias != nullptr) start = kPartial ? load_first(a.bias + at, count) : load(a.bias + at);
#pragma GCC unroll 16
    for (int p = 0; p < kOutputs; ++p) acc[p][v] = start;
  }
  const float* row = src + c;
  const float* weights = a.weights + c;
  const ptrdiff_t step = a.src_step;
  const Clamp clamp = a.clamp;
  for (size_t i = 0; i < a.rows; ++i, row += a.src_row, weights += a.weights_row) {
    const float *x = row, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, x += a.src_tap, w += a.pixel) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        const size_t at = kChannels * static_cast<size_t>(v);
        const Lanes b = kPartial ? load_first(w, count) : load(w + at);
#pragma GCC unroll 16
        for (int p = 0; p < kOutputs; ++p)
          acc[p][v] = acc[p][v] + (kPartial ? load_first(x + p * step, count) : load(x + p * step + at)) * b;
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < kOutputs; ++p) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      float* to = dst + static_cast<size_t>(p) * a.pixel + c + kChannels * static_cast<size_t>(v);
      const Lanes y = clamped(clamp, acc[p][v]);
      if (kPartial) {
        store_first(to, y, count);
      } else {
        store(to, y);
      }
    }
  }
}

// Channels [first, last) of kOutputs outputs: what they read stays in the nearest cache, and so do the weights. Few outputs, of narrow maps and edges, take
// several vectors of channels at once: as many sums as there are registers for keep the adders busy.
template <int kOutputs, int kMost>
__attribute__((noinline)) void depthwise_tile(const DepthwiseArgs& a, const float* src, float* dst, size_t first, size_t last) {
  constexpr int kVectors = 4 * kOutputs <= kMost ? 4 : 2 * kOutputs <= kMost ? 2 : 1;
  constexpr size_t kWide = static_cast<size_t>(kVectors) * kChannels;
  size_t c = first;
  if (!kPredicatedAccess) {
    if (kVectors > 1) {
      for (; c + kWide <= last; c += kWide) depthwise_block<kOutputs, kVectors, false>(a, src, dst, c, kWide);
    }
    for (; c + kChannels <= last; c += kChannels) depthwise_block<kOutputs, 1, false>(a, src, dst, c, kChannels);
    if (c < last) depthwise_block<kOutputs, 1, true>(a, src, dst, c, last - c);
    return;
  }
  for (; c < last; c += kChannels)
    depthwise_block<kOutputs, 1, true>(a, src, dst, c, last - c < kChannels ? last - c : kChannels);
}

template <size_t kMost>
struct DepthwiseTiles {
  void (*of[kMost])(const DepthwiseArgs&, const float*, float*, size_t, size_t);  // entry p - 1 does p outputs
};
template <size_t... p>
constexpr DepthwiseTiles<sizeof...(p)> depthwise_tiles(std::index_sequence<p...>) {
  return {{depthwise_tile<static_cast<int>(p) + 1, static_cast<int>(sizeof...(p))>...}};
}

// At most kMost outputs share weights. Split evenly: 9 outputs are 5 + 4, not 8 + 1.
template <size_t kMost>
inline void depthwise_channels(const DepthwiseArgs& a, size_t first, size_t last) {
  static constexpr auto kTiles = depthwise_tiles(std::make_index_sequence<kMost>());
  size_t blocks = (a.outputs + kMost - 1) / kMost;
  for (size_t p = 0; p < a.outputs; --blocks) {
    const size_t outputs = (a.outputs - p + blocks - 1) / blocks;
    kTiles.of[outputs - 1](a, a.src + static_cast<ptrdiff_t>(p) * a.src_step, a.dst + p * a.pixel, first, last);
    p += outputs;
  }
}

template <size_t kMost>
inline void depthwise_row(const DepthwiseArgs& a) {
  depthwise_channels<kMost>(a, 0, a.channels);
}

}  // namespace
}  // namespace ert::kernels
