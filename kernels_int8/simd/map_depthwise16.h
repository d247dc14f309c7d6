// Depthwise convolution over 8-bit maps, 16 channels at a time, four taps in one step. Where outputs are neighbours and a row has at most three taps, the
// four pixels of one step serve two outputs: for the second the weights lie a tap further on. Include first a lanes16_<isa>.h and what the level multiplies with:
//   Sums, to_lanes                          as of map_conv16.h
//   Sums start_of_taps(colsum, zero_point)
//   FourPixels four_pixels(src, step)           16 channels of four pixels
//   FourTaps taps_of(weights), next_taps_of(weights)   of 16 channels in N16K4; next: 0, w0, w1, w2
//   Sums add_taps(Sums, FourPixels, FourTaps)
//   kMapPairs                               pairs of outputs of a tile
#pragma once

#include <utility>

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/simd/clamp.h"

namespace ert::kernels {
namespace {

// 16 channels from `channel` on.
struct MapChannels {
  const MapDepthwiseArgs& a;
  size_t channel, columns, line;  // line: bytes of the taps of 16 channels
  Lanes scale, bias;

  MapChannels(const MapDepthwiseArgs& args, size_t from)
      : a(args), channel(from), columns(map_columns(args.channels)), line(16 * round_up(args.taps, 4)) {
    const size_t left = a.channels - channel;
    scale = left >= 16 ? load(a.w.scale + channel) : load_first(a.w.scale + channel, left);
    bias = broadcast(-0.0f);  // x + -0 is x
    if (a.w.bias != nullptr) bias = left >= 16 ? load(a.w.bias + channel) : load_first(a.w.bias + channel, left);
  }

  const uint8_t* src(size_t i, size_t output) const { return a.src[i] + output * a.src_step + channel; }
  const int8_t* weights(size_t i) const { return a.w.data + (i * columns + channel) / 16 * line; }
  Sums start(size_t i) const { return start_of_taps(a.w.colsum + i * columns + channel, a.scales[i].zero_point); }

  void finish(size_t output, Lanes t) const {
    const Lanes y = clamped(a.clamp, t * scale + bias);
    float* dst = a.dst + output * a.channels + channel;
    if (a.channels - channel >= 16) return store(dst, y);
    store_first(dst, y, a.channels - channel);
  }
};

ERT_LANES void add_row(size_t i, Lanes* t, const Sums& acc, Lanes scale) {
  const Lanes part = to_lanes(acc) * scale;
  *t = i == 0 ? part : *t + part;
}

// Outputs [first, first + count), count 2 * kPairs or one less: four pixels are readable for a single one, too.
template <int kPairs>
__attribute__((noinline)) void map_pairs(const MapChannels& c, size_t first, size_t count) {
  const MapDepthwiseArgs& a = c.a;
  Lanes t[2 * kPairs];
#pragma GCC unroll 8
  for (int o = 0; o < 2 * kPairs; ++o) t[o] = broadcast(0.0f);
  for (size_t i = 0; i < a.rows; ++i) {
    const uint8_t* src = c.src(i, first);
    const FourTaps even = taps_of(c.weights(i)), odd = next_taps_of(c.weights(i));
    const Sums start = c.start(i);
    const Lanes scale = broadcast(a.scales[i].scale);
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p) {
      const FourPixels x = four_pixels(src + 2 * static_cast<size_t>(p) * a.src_step, a.src_step);
      add_row(i, &t[2 * p], add_taps(start, x, even), scale);
      add_row(i, &t[2 * p + 1], add_taps(start, x, odd), scale);
    }
  }
#pragma GCC unroll 8
  for (int o = 0; o < 2 * kPairs - 1; ++o) c.finish(first + static_cast<size_t>(o), t[o]);
  if (count == 2 * kPairs) c.finish(first + count - 1, t[2 * kPairs - 1]);
}

using MapPairsFn = void (*)(const MapChannels&, size_t first, size_t count);
template <class Sequence>
struct MapPairs;
template <int... kPairs>
struct MapPairs<std::integer_sequence<int, kPairs...>> {
  static constexpr MapPairsFn of[] = {map_pairs<kPairs + 1>...};
};

template <int kOutputs>
__attribute__((noinline)) void map_singles(const MapChannels& c, size_t first) {
  const MapDepthwiseArgs& a = c.a;
  Lanes t[kOutputs];
#pragma GCC unroll 4
  for (int o = 0; o < kOutputs; ++o) t[o] = broadcast(0.0f);
  for (size_t i = 0; i < a.rows; ++i) {
    const uint8_t* src = c.src(i, first);
    const int8_t* weights = c.weights(i);
    const Sums start = c.start(i);
    Sums acc[kOutputs];
#pragma GCC unroll 4
    for (int o = 0; o < kOutputs; ++o) acc[o] = start;
    for (size_t j = 0; j < a.taps; j += 4, weights += 64) {
      const FourTaps w = taps_of(weights);
#pragma GCC unroll 4
      for (int o = 0; o < kOutputs; ++o)
        acc[o] = add_taps(acc[o], four_pixels(src + static_cast<size_t>(o) * a.src_step + j * a.src_tap, a.src_tap), w);
    }
    const Lanes scale = broadcast(a.scales[i].scale);
#pragma GCC unroll 4
    for (int o = 0; o < kOutputs; ++o) add_row(i, &t[o], acc[o], scale);
  }
#pragma GCC unroll 4
  for (int o = 0; o < kOutputs; ++o) c.finish(first + static_cast<size_t>(o), t[o]);
}

void map_depthwise16(const MapDepthwiseArgs& a) {
  const bool in_pairs = a.taps <= 3 && a.src_step == a.src_tap;
  for (size_t channel = 0; channel < a.channels; channel += 16) {
    const MapChannels c(a, channel);
    if (in_pairs) {
      constexpr size_t kMost = 2 * kMapPairs;
      const size_t blocks = (a.outputs + kMost - 1) / kMost;
      size_t o = 0;
      for (size_t left = blocks; left > 0; --left) {
        const size_t pairs = (a.outputs - o + 2 * left - 1) / (2 * left),
                     count = a.outputs - o < 2 * pairs ? a.outputs - o : 2 * pairs;
        MapPairs<std::make_integer_sequence<int, kMapPairs>>::of[pairs - 1](c, o, count);
        o += count;
      }
      continue;
    }
    size_t o = 0;
    for (; o + 2 <= a.outputs; o += 2) map_singles<2>(c, o);
    for (; o < a.outputs; ++o) map_singles<1>(c, o);
  }
}

}  // namespace
}  // namespace ert::kernels
