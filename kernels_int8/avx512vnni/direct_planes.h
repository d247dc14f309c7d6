// Dense convolution in place of a map whose columns lie side by side (an image or a waveform as exporters leave it): 16 lanes across outputs, because
// of few filters most lanes of direct16.h would stay unused, and its broadcast of every input would be what it waits for.
#pragma once

#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/simd/direct16.h"

namespace ert::kernels {
namespace {

// A tile: all filters, and vectors of 16 outputs. Of fewer, results of one output are not the four that are stored at once; of more, direct16.h has
// all lanes full, and its results need not be turned.
constexpr size_t kLeastFilters = 4, kMostFilters = 8;
constexpr int kPlaneVectors = 2;

// p[0], p[2], .., p[30]; nothing behind p[30] is read.
ERT_LANES Lanes load_every_second(const float* p) {
  const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
  return {_mm512_permutex2var_ps(_mm512_loadu_ps(p), order, _mm512_loadu_ps(p + 15))};
}

// dst[stride * lane + 0..3] = a, b, c, d of that lane.
ERT_LANES void store_columns(float* dst, size_t stride, Lanes a, Lanes b, Lanes c, Lanes d) {
  const __m512 ab_low = _mm512_unpacklo_ps(a.v, b.v), ab_high = _mm512_unpackhi_ps(a.v, b.v);
  const __m512 cd_low = _mm512_unpacklo_ps(c.v, d.v), cd_high = _mm512_unpackhi_ps(c.v, d.v);
  const __m512 row[4] = {_mm512_shuffle_ps(ab_low, cd_low, 0x44), _mm512_shuffle_ps(ab_low, cd_low, 0xee),
                         _mm512_shuffle_ps(ab_high, cd_high, 0x44), _mm512_shuffle_ps(ab_high, cd_high, 0xee)};
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    _mm_storeu_ps(dst + stride * i, _mm512_castps512_ps128(row[i]));
    _mm_storeu_ps(dst + stride * (4 + i), _mm512_extractf32x4_ps(row[i], 1));
    _mm_storeu_ps(dst + stride * (8 + i), _mm512_extractf32x4_ps(row[i], 2));
    _mm_storeu_ps(dst + stride * (12 + i), _mm512_extractf32x4_ps(row[i], 3));
  }
}

// 16 * kVectors outputs from src and dst on.
template <int kFilters, int kVectors, int kStep>
__attribute__((noinline)) void planes_tile(const DirectArgs& a, const float* src, float* dst) {
  Lanes acc[kFilters][kVectors];
#pragma GCC unroll 16
  for (int f = 0; f < kFilters; ++f) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) acc[f][v] = broadcast(0.0f);
  }
  const float* weights = a.weights;
  const Clamp clamp = a.clamp;
  for (size_t i = 0; i < a.rows; ++i, src += a.src_row, weights += a.weights_row) {
    const float *tap = src, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap) {
      const float* x = tap;
      for (size_t c = 0; c < a.channels; ++c, x += a.src_channel, w += kFilters) {
        Lanes in[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) in[v] = kStep == 1 ? load(x + 16 * v) : load_every_second(x + 32 * v);
#pragma GCC unroll 16
        for (int f = 0; f < kFilters; ++f) {
          const Lanes b = broadcast(w[f]);
#pragma GCC unroll 16
          for (int v = 0; v < kVectors; ++v) acc[f][v] = acc[f][v] + in[v] * b;
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int f = 0; f < kFilters; ++f) {
    const Lanes bias = broadcast(a.bias != nullptr ? a.bias[f] : -0.0f);  // x + -0 is x
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) acc[f][v] = clamped(clamp, acc[f][v] + bias);
  }
  // Fours; the last of them some of the one before again.
#pragma GCC unroll 16
  for (int i = 0; i < kFilters; i += 4) {
    const int f = i + 4 <= kFilters ? i : kFilters - 4;
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v)
      store_columns(dst + f + 16 * v * kFilters, kFilters, acc[f][v], acc[f + 1][v], acc[f + 2][v], acc[f + 3][v]);
  }
}

// All outputs, at least 16: the last tile begins where it ends with the last output, and does some of the one before again.
template <int kFilters, int kStep>
inline void planes_row(const DirectArgs& a) {
  constexpr size_t kWide = 16 * kPlaneVectors;
  size_t output = 0;
  for (; output + kWide <= a.outputs; output += kWide)
    planes_tile<kFilters, kPlaneVectors, kStep>(a, a.src + output * kStep, a.dst + output * kFilters);
  for (; output < a.outputs; output += 16) {
    const size_t at = output + 16 <= a.outputs ? output : a.outputs - 16;
    planes_tile<kFilters, 1, kStep>(a, a.src + at * kStep, a.dst + at * kFilters);
  }
}

using PlanesFn = void (*)(const DirectArgs&);
// Entry n is of n + kLeastFilters filters. Every second column by other numbers than these is rare.
constexpr PlanesFn kPlanes[] = {planes_row<4, 1>, planes_row<5, 1>, planes_row<6, 1>, planes_row<7, 1>, planes_row<8, 1>};
constexpr PlanesFn kEverySecond[] = {planes_row<4, 2>, nullptr, nullptr, nullptr, planes_row<8, 2>};

inline void direct_row_or_planes(const DirectArgs& a) {
  if (a.outputs < 16 || a.filters < kLeastFilters || a.filters > kMostFilters || a.rows == 0 || (a.src_step != 1 && a.src_step != 2))
    return direct_row(a);
  const PlanesFn planes = (a.src_step == 1 ? kPlanes : kEverySecond)[a.filters - kLeastFilters];
  planes != nullptr ? planes(a) : direct_row(a);
}

}  // namespace
}  // namespace ert::kernels
