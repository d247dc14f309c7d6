// Products of W12A13, 16 columns at a time: int32 sums of pieces of runs, which fp32 sums take in. Include first a lanes16_<isa>.h and what the level
// multiplies with:
//   Sums                                    int32 sums of 16 columns
//   kWideOutputs, kWidePanels               outputs and panels of a tile; where there are no such whole panels, kWideOutputs * kWidePanels outputs of one
//   Sums zero_sums()
//   add_line<kOutputs, kPanels>(Sums (&acc)[kOutputs][kPanels], weights, panel, pair)   adds lines of weights, `panel` weights apart, times the pair of values
//                                           pair(r), as one int32, of each output
//   Lanes to_lanes(Sums)                    as fp32
//   kWideSums                               how many Sums are added up in the time that one of them takes; where more than 1:
//   Sums sum_of(Sums, Sums)
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
  const int16_t* weights;  // of the first panel
  size_t panel;            // weights of one
  const float *scale, *bias;  // float [16 * panels]
  float* dst;                 // 16 columns of each panel are written
  ptrdiff_t dst_stride;
};

template <int kOutputs, int kPanels>
ERT_LANES void clear(Sums (&acc)[kOutputs][kPanels]) {
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) acc[r][p] = zero_sums();
  }
}

// Sets acc to the sums of n values of each output. Of an odd number the value behind the last one never counts: neither it nor the weight there is known to be zero.
template <int kOutputs, int kPanels>
ERT_LANES void sum_values(Sums (&acc)[kOutputs][kPanels], const int16_t* src, ptrdiff_t step, const int16_t* weights, size_t panel, size_t n) {
  clear(acc);
  const auto add_pairs = [&](Sums(&to)[kOutputs][kPanels], ptrdiff_t line) __attribute__((always_inline)) {
    add_line(
        to, weights + line * ptrdiff_t{kPairOfColumns}, panel, [&](int r) __attribute__((always_inline)) {
          int32_t pair;
          memcpy(&pair, src + 2 * line + r * step, sizeof pair);
          return pair;
        });
  };
  size_t lines = n / 2;
  // Few outputs wait for their own sums: so many lines have sums of their own. They wrap, so that any order gives the same.
  constexpr int kTogether = kWideSums / (kOutputs * kPanels) < 4 ? kWideSums / (kOutputs * kPanels) : 4;
  if constexpr (kTogether > 1) {
    Sums others[kTogether - 1][kOutputs][kPanels];
#pragma GCC unroll 4
    for (int t = 0; t + 1 < kTogether; ++t) clear(others[t]);
    for (; lines >= kTogether; lines -= kTogether, src += 2 * kTogether, weights += kTogether * kPairOfColumns) {
      add_pairs(acc, 0);
#pragma GCC unroll 4
      for (int t = 0; t + 1 < kTogether; ++t) add_pairs(others[t], t + 1);
    }
#pragma GCC unroll 4
    for (int t = 0; t + 1 < kTogether; ++t) {
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 2
        for (int p = 0; p < kPanels; ++p) acc[r][p] = sum_of(acc[r][p], others[t][r][p]);
      }
    }
  }
  for (; lines > 0; --lines, src += 2, weights += kPairOfColumns) add_pairs(acc, 0);
  if (n % 2 != 0)
    add_line(
        acc, weights, panel, [&](int r) __attribute__((always_inline)) { return int32_t{static_cast<uint16_t>(src[r * step])}; });
}

// Adds up pieces of runs, where there are several.
template <int kOutputs, int kPanels>
ERT_LANES void add_pieces(const WideTile& w, Lanes (&t)[kOutputs][kPanels]) {
  const WideArgs& a = *w.a;
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) t[r][p] = broadcast(0.0f);
  }
  const int16_t* weights = w.weights;
  for (size_t i = 0; i < a.rows; ++i) {
    const float* scales = w.scales + static_cast<ptrdiff_t>(i) * a.scale_row;
    const int16_t* row = w.src + static_cast<ptrdiff_t>(i) * a.src_row;
    for (size_t j = 0; j < a.taps; ++j, row += a.src_tap) {
      for (size_t from = 0; from < a.run; from += kWideBlock) {
        const size_t n = a.run - from < kWideBlock ? a.run - from : kWideBlock;
        Sums acc[kOutputs][kPanels];
        sum_values(acc, row + from, a.src_step, weights, w.panel, n);
        weights += wide_pairs(n) * kPairOfColumns;
#pragma GCC unroll 16
        for (int r = 0; r < kOutputs; ++r) {
          const Lanes s = broadcast(scales[r * a.scale_step]);
#pragma GCC unroll 2
          for (int p = 0; p < kPanels; ++p) t[r][p] = t[r][p] + to_lanes(acc[r][p]) * s;
        }
      }
    }
  }
}

template <bool kClamps, int kOutputs, int kPanels>
ERT_LANES void store_results(const WideTile& w, const Lanes (&t)[kOutputs][kPanels]) {
  const Lanes most = broadcast(w.a->clamp == Clamp::kRelu6 ? 6.0f : __builtin_inff());
#pragma GCC unroll 2
  for (int p = 0; p < kPanels; ++p) {
    const Lanes scale = load(w.scale + 16 * p), bias = load(w.bias + 16 * p);
    float* dst = w.dst + 16 * p;
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const Lanes y = t[r][p] * scale + bias;
      store(dst + r * w.dst_stride, kClamps ? smaller(most, relu(y)) : y);
    }
  }
}

template <int kOutputs, int kPanels>
__attribute__((noinline)) void wide_tile(const WideTile& w) {
  const WideArgs& a = *w.a;
  Lanes t[kOutputs][kPanels];
  if (a.rows * a.taps == 1 && a.run <= kWideBlock) {
    Sums acc[kOutputs][kPanels];
    sum_values(acc, w.src, a.src_step, w.weights, w.panel, a.run);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const Lanes s = broadcast(w.scales[r * a.scale_step]);
#pragma GCC unroll 2
      for (int p = 0; p < kPanels; ++p) t[r][p] = broadcast(0.0f) + to_lanes(acc[r][p]) * s;
    }
  } else {
    add_pieces(w, t);
  }
  // What is the same for all results is asked once: compilers ask for each.
  if (a.clamp == Clamp::kNone) {
    store_results<false>(w, t);
  } else {
    store_results<true>(w, t);
  }
}

using WideTileFn = void (*)(const WideTile&);

template <int kPanels>
constexpr int kMostWideOutputs = kWideOutputs * kWidePanels / kPanels;

template <int kPanels, class Sequence = std::make_integer_sequence<int, kMostWideOutputs<kPanels>>>
struct WideTiles;
template <int kPanels, int... kOutputs>
struct WideTiles<kPanels, std::integer_sequence<int, kOutputs...>> {
  static constexpr WideTileFn of[] = {wide_tile<kOutputs + 1, kPanels>...};
};

// Outputs of one line and kPanels panels, of which the first `columns` are stored.
template <int kPanels>
inline void wide_line(const WideArgs& a, size_t line, size_t filter, size_t columns, WideTile w) {
  const ptrdiff_t l = static_cast<ptrdiff_t>(line);
  for_tiles<16 * kPanels, kMostWideOutputs<kPanels>>(
      a.outputs, columns, a.dst + l * a.dst_line + filter, a.dst_stride, [&](size_t first, size_t outputs, float* to, ptrdiff_t stride) {
        const ptrdiff_t p = static_cast<ptrdiff_t>(first);
        w.src = a.src + l * a.src_line + p * a.src_step;
        w.scales = a.scales + l * a.scale_line + p * a.scale_step;
        w.dst = to;
        w.dst_stride = stride;
        WideTiles<kPanels>::of[outputs - 1](w);
      });
}

// All lines of kPanels panels from `filter` on.
template <int kPanels>
inline void wide_panels(const WideArgs& a, size_t filter) {
  const size_t most = 16 * kPanels, columns = a.filters - filter < most ? a.filters - filter : most;
  FilterColumns<16 * kPanels> filters;
  filters.select(a.w, filter, columns);
  WideTile w = {};
  w.a = &a;
  w.panel = 16 * a.rows * a.taps * 2 * wide_pairs(a.run);
  w.weights = static_cast<const int16_t*>(static_cast<const void*>(a.w.data)) + filter / 16 * w.panel;
  w.scale = filters.scale;
  w.bias = filters.bias;
  for (size_t line = 0; line < a.lines; ++line) wide_line<kPanels>(a, line, filter, columns, w);
}

// One row of a Linear meets every weight once: panel after panel they are one stream through memory, which the prefetchers follow, and what a
// tile asks for every panel is asked once.
__attribute__((noinline)) inline void wide_one_row(const WideArgs& a) {
  const int16_t* weights = static_cast<const int16_t*>(static_cast<const void*>(a.w.data));
  const Lanes s = broadcast(a.scales[0]);
  for (size_t filter = 0; filter < a.filters; filter += 16) {
    const size_t columns = a.filters - filter < 16 ? a.filters - filter : 16;
    Lanes t = broadcast(0.0f);
    for (size_t from = 0; from < a.run; from += kWideBlock) {
      const size_t n = a.run - from < kWideBlock ? a.run - from : kWideBlock;
      Sums acc[1][1];
      sum_values(acc, a.src + from, 0, weights, 0, n);
      weights += wide_pairs(n) * kPairOfColumns;
      t = t + to_lanes(acc[0][0]) * s;
    }
    if (columns == 16) {
      const Lanes bias = a.w.bias != nullptr ? load(a.w.bias + filter) : broadcast(-0.0f);  // x + -0 is x
      store(a.dst + filter, clamped(a.clamp, t * load(a.w.scale + filter) + bias));
    } else {
      const Lanes bias = a.w.bias != nullptr ? load_first(a.w.bias + filter, columns) : broadcast(-0.0f);
      store_first(a.dst + filter, clamped(a.clamp, t * load_first(a.w.scale + filter, columns) + bias), columns);
    }
  }
}

// Panels outermost: each weight leaves the far caches once a call.
inline void wide16(const WideArgs& a) {
  size_t filter = 0;
  if (a.lines * a.outputs * a.rows * a.taps == 1) return wide_one_row(a);
  if constexpr (kWidePanels > 1) {
    for (; filter + 16 * kWidePanels <= a.filters; filter += 16 * kWidePanels) wide_panels<kWidePanels>(a, filter);
  }
  for (; filter < a.filters; filter += 16) wide_panels<1>(a, filter);
}

}  // namespace
}  // namespace ert::kernels
