// Convolution over 8-bit maps, 16 filters at a time: for each row of the kernel exact sums of some outputs, which fp32 sums then take in. Include first a
// lanes16_<isa>.h and what the level multiplies with:
//   Sums                                    16 int32 lanes
//   kMapOutputs                             outputs of a tile
//   Sums start_of_patches(colsum, zero_point)     where sums begin, so that they come out without the zero point
//   multiply_patches<kOutputs>(Sums (&acc)[kOutputs], src, step, weights, k)   adds k values of a patch times a panel of N16K4; k is a multiple of 4
//   Lanes to_lanes(Sums)                    as fp32
#pragma once

#include <utility>

#include "kernels_int8/loops/filters16.h"
#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/simd/clamp.h"

namespace ert::kernels {
namespace {

// Patches that a level reads where they lie. One that turns them first has a class of its own with this function.
struct PatchesInPlace {
  // Sets acc to the sums of outputs [first, first + kOutputs) in row i of the kernel; k: values of a patch, rounded up to 4.
  template <int kOutputs>
  ERT_LANES void sum(Sums (&acc)[kOutputs], const MapConvArgs& a, size_t i, size_t first, const int32_t* colsum, const int8_t* weights,
                     size_t k) const {
    const Sums start = start_of_patches(colsum, a.scales[i].zero_point);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) acc[r] = start;
    multiply_patches<kOutputs>(acc, a.src[i] + first * a.src_step, a.src_step, weights, k);
  }
};

template <class Patches>
struct MapTile {
  const MapConvArgs* a;
  const Patches* patches;
  size_t k, matrix, columns;  // values of a patch rounded up; bytes and columns between the weights of two rows of the kernel
  size_t first;               // output
  const int8_t* weights;      // of the first row
  const int32_t* colsum;
  const float *scale, *bias;  // float [16]
  float* dst;                 // 16 columns are written
  ptrdiff_t dst_stride;
};

template <class Patches, int kOutputs>
__attribute__((noinline)) void map_tile(const MapTile<Patches>& m) {
  const MapConvArgs& a = *m.a;
  Lanes t[kOutputs];
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) t[r] = broadcast(0.0f);
  const int8_t* weights = m.weights;
  const int32_t* colsum = m.colsum;
  for (size_t i = 0; i < a.rows; ++i, weights += m.matrix, colsum += m.columns) {
    Sums acc[kOutputs];
    m.patches->template sum<kOutputs>(acc, a, i, m.first, colsum, weights, m.k);
    const Lanes scale = broadcast(a.scales[i].scale);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const Lanes part = to_lanes(acc[r]) * scale;
      t[r] = i == 0 ? part : t[r] + part;
    }
  }
  const Lanes scale = load(m.scale), bias = load(m.bias);
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) store(m.dst + r * m.dst_stride, clamped(a.clamp, t[r] * scale + bias));
}

template <class Patches, class Sequence>
struct MapTiles;
template <class Patches, int... kOutputs>
struct MapTiles<Patches, std::integer_sequence<int, kOutputs...>> {
  static constexpr void (*of[])(const MapTile<Patches>&) = {map_tile<Patches, kOutputs + 1>...};
};

template <class Patches = PatchesInPlace>
void map_conv16(const MapConvArgs& a, const Patches& patches = {}) {
  const auto& tiles = MapTiles<Patches, std::make_integer_sequence<int, kMapOutputs>>::of;
  MapTile<Patches> m = {};
  m.a = &a;
  m.patches = &patches;
  m.k = round_up(a.depth, 4);
  m.columns = map_columns(a.filters);
  m.matrix = m.columns * m.k;
  for (size_t filter = 0; filter < a.filters; filter += 16) {
    const size_t columns = a.filters - filter < 16 ? a.filters - filter : 16;
    FilterColumns<16> filters;
    filters.select(a.w, filter, columns);
    m.weights = a.w.data + filter * m.k;
    m.colsum = a.w.colsum + filter;
    m.scale = filters.scale;
    m.bias = filters.bias;
    for_tiles<16, kMapOutputs>(a.outputs, columns, a.dst + filter, a.dst_stride,
                             [&](size_t first, size_t outputs, float* to, ptrdiff_t stride) {
                               m.first = first;
                               m.dst = to;
                               m.dst_stride = stride;
                               tiles[outputs - 1](m);
                             });
  }
}

}  // namespace
}  // namespace ert::kernels
