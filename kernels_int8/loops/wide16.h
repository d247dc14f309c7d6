// Products of W12A13, 16 columns at a time: int32 sums of pieces of runs, which fp32 sums take in. Include first a lanes16_<isa>.h and what the level
// multiplies with:
//   Sums                                    int32 sums of 16 columns
//   kWideOutputs                            outputs of a tile
//   Sums zero_sums()
//   add_line<kOutputs>(Sums (&acc)[kOutputs], weights, pair)   adds a line of weights times the pair of values pair(r), as one int32, of each output
//   Lanes to_lanes(Sums)                    as fp32
#pragma once

#include <string.h>

#include <utility>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "kernels_int8/loops/filters16.h"
#include "kernels_int8/simd/clamp.h"

namespace ert::kernels {
namespace {

constexpr size_t kPairOfColumns = 2 * panel_columns(Layout::kN16K2);  // weights of a line

struct WideTile {
  const WideArgs* a;
  const int16_t* src;      // of the first output
  const float* scales;
  const int16_t* weights;  // of the panel
  const float *scale, *bias;  // float [16]
  float* dst;                 // 16 columns are written
  ptrdiff_t dst_stride;
};

// Sets acc to the sums of n values of each output. Of an odd number the value behind the last one never counts: neither it nor the weight there is known to be zero.
template <int kOutputs>
ERT_LANES void sum_values(Sums (&acc)[kOutputs], const int16_t* src, ptrdiff_t step, const int16_t* weights, size_t n) {
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) acc[r] = zero_sums();
  for (const int16_t* end = src + n / 2 * 2; src != end; src += 2, weights += kPairOfColumns) {
    add_line<kOutputs>(
        acc, weights, [&](int r) __attribute__((always_inline)) {
          int32_t pair;
          memcpy(&pair, src + r * step, sizeof pair);
          return pair;
        });
  }
  if (n % 2 != 0)
    add_line<kOutputs>(
        acc, weights, [&](int r) __attribute__((always_inline)) { return int32_t{static_cast<uint16_t>(src[r * step])}; });
}

template <int kOutputs>
__attribute__((noinline)) void wide_tile(const WideTile& w) {
  const WideArgs& a = *w.a;
  Lanes t[kOutputs];
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) t[r] = broadcast(0.0f);
  const int16_t* weights = w.weights;
  for (size_t i = 0; i < a.rows; ++i) {
    const float* scales = w.scales + static_cast<ptrdiff_t>(i) * a.scale_row;
    const int16_t* row = w.src + static_cast<ptrdiff_t>(i) * a.src_row;
    for (size_t j = 0; j < a.taps; ++j, row += a.src_tap) {
      for (size_t from = 0; from < a.run; from += kWideBlock) {
        const size_t n = a.run - from < kWideBlock ? a.run - from : kWideBlock;
        Sums acc[kOutputs];
        sum_values<kOutputs>(acc, row + from, a.src_step, weights, n);
        weights += wide_pairs(n) * kPairOfColumns;
#pragma GCC unroll 8
        for (int r = 0; r < kOutputs; ++r) t[r] = t[r] + to_lanes(acc[r]) * broadcast(scales[r * a.scale_step]);
      }
    }
  }
  const Lanes scale = load(w.scale), bias = load(w.bias);
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) store(w.dst + r * w.dst_stride, clamped(a.clamp, t[r] * scale + bias));
}

using WideTileFn = void (*)(const WideTile&);

template <class Sequence>
struct WideTiles;
template <int... kOutputs>
struct WideTiles<std::integer_sequence<int, kOutputs...>> {
  static constexpr WideTileFn of[] = {wide_tile<kOutputs + 1>...};
};

// Outputs of one line and one panel, of which the first `columns` are stored.
inline void wide_line(const WideArgs& a, size_t line, size_t filter, size_t columns, WideTile w) {
  const ptrdiff_t l = static_cast<ptrdiff_t>(line);
  for_tiles16<kWideOutputs>(
      a.outputs, columns, a.dst + l * a.dst_line + filter, a.dst_stride, [&](size_t first, size_t outputs, float* to, ptrdiff_t stride) {
        const ptrdiff_t p = static_cast<ptrdiff_t>(first);
        w.src = a.src + l * a.src_line + p * a.src_step;
        w.scales = a.scales + l * a.scale_line + p * a.scale_step;
        w.dst = to;
        w.dst_stride = stride;
        WideTiles<std::make_integer_sequence<int, kWideOutputs>>::of[outputs - 1](w);
      });
}

// Panels outermost: each weight leaves the far caches once a call.
inline void wide16(const WideArgs& a) {
  const size_t depth = a.rows * a.taps * 2 * wide_pairs(a.run);
  for (size_t filter = 0; filter < a.filters; filter += 16) {
    const size_t columns = a.filters - filter < 16 ? a.filters - filter : 16;
    Filters16 filters;
    filters.select(a.w, filter, columns);
    WideTile w = {};
    w.a = &a;
    w.weights = static_cast<const int16_t*>(static_cast<const void*>(a.w.data + packed_offset(Layout::kN16K2, filter, 0, depth)));
    w.scale = filters.scale;
    w.bias = filters.bias;
    for (size_t line = 0; line < a.lines; ++line) wide_line(a, line, filter, columns, w);
  }
}

}  // namespace
}  // namespace ert::kernels
