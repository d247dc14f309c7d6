// The operands of a Conv: its geometry, what its parameters may be, and the scratch of one thread.
#pragma once

#include <stdint.h>

#include "rt/ops/linear_parts.h"
#include "rt/ops/window.h"

namespace ert::ops {

namespace lin = params::linear;
namespace cnv = params::conv;

constexpr int64_t kNearRows = 16 << 10;     // bytes of a block of quantized rows, which every group of columns reads again
constexpr int64_t kNearPatches = 16 << 10;  // bytes of the patches that are gathered at once
constexpr int64_t kLeastBlockRows = 8;      // fewer would fetch the weights too often

inline int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

inline bool has_weights(const OpContext& c) { return input(c, lin::kWeights).present(); }

struct Geometry {
  Window w;
  ProductShape s;  // n of values without weights: k
  int64_t shared;  // columns, at most as many as a row of outputs has; 0: none
  int32_t groups;  // each of s.n / groups filters, which read channels of their own; s.k is that of one

  int64_t group_filters() const { return s.n / groups; }
  // Columns that the weights of a group take: whole panels, where another group follows.
  int64_t group_columns() const { return groups == 1 ? s.n : ceil_div(group_filters(), kPanelColumns) * kPanelColumns; }

  int64_t bands_of_row() const { return ceil_div(w.columns.out, shared); }
  int64_t rectangle_columns(int64_t outputs) const {
    return (outputs - 1) * w.columns.stride + int64_t{w.columns.dilation} * (w.columns.kernel - 1) + 1;
  }
};

// The channels of a group follow those of the one before, and its weights are in 8 bits.
inline bool groups_ok(const OpContext& c, const Geometry& g) {
  const int64_t channels = int64_t{c.ints[cnv::kChannels]} * g.groups;
  return lin::has_int8_weights(c.ints[cnv::kPrecision]) && has_weights(c) && channels <= g.w.channels - int64_t{c.ints[cnv::kFirstChannel]} &&
         g.w.out_channels % g.groups == 0;
}

inline bool read_geometry(const OpContext& c, Geometry* g) {
  const Operand &x = input(c, lin::kX), &out = output(c, 0);
  if (!read_window(c, cnv::kWindow, x, out, &g->w)) return false;
  const int64_t first = c.ints[cnv::kFirstChannel], channels = c.ints[cnv::kChannels];
  const uint32_t end = window_ints_end(cnv::kWindow, x);
  g->groups = c.n_ints == end ? 1 : c.ints[end];
  if (c.n_ints != end && (c.n_ints != end + 1 || g->groups < 2 || !groups_ok(c, *g))) return false;
  if (first < 0 || channels < 1 || first + channels > g->w.channels || g->w.out_channels < 1) return false;
  g->s = {g->w.outputs(), g->w.out_channels, g->w.positions() * channels};
  const int64_t shared = c.ints[cnv::kSharedColumns];
  g->shared = shared < g->w.columns.out ? shared : g->w.columns.out;
  return true;
}

// Elements of the rectangle around the outputs that share a range.
inline int64_t rectangle_elements(const OpContext& c, const Geometry& g) {
  return g.rectangle_columns(g.shared) * g.w.rows.kernel * c.ints[cnv::kChannels];
}

inline bool shared_columns_ok(const OpContext& c, const Geometry& g) {
  const int32_t shared = c.ints[cnv::kSharedColumns];
  if (shared == 0) return true;
  if (shared < 0 || shared > cnv::kMostSharedColumns || c.ints[cnv::kPrecision] != lin::kInt8) return false;
  if (input(c, lin::kX).rank != 4 || c.ints[cnv::kChannels] % 4 != 0) return false;
  return g.rectangle_columns(g.shared) <= params::kMaxExactDepth && rectangle_elements(c, g) <= params::kMaxExactDepth;
}

// Rows of a block, at most.
inline int64_t conv_block_rows(const ProductShape& s, int64_t threads) {
  const int64_t share = ceil_div(s.m, threads < 1 ? 1 : threads);
  const int64_t near = clamped(kNearRows / (2 * s.k), kLeastBlockRows, kBlockRows);
  const int64_t most = s.n * s.k >= kFarWeights ? clamped(share, near, kFarBlockRows) : near;
  return s.m < most ? s.m : most;
}

inline int64_t gathered_rows(const ProductShape& s, int64_t least, int64_t most) {
  return clamped(kNearPatches / (static_cast<int64_t>(sizeof(float)) * s.k), least, most);
}

// What one thread has of a block: quantized rows, their scales, and patches in fp32, or a rectangle in fp32 and quantized.
struct Room {
  int64_t rows, gathered;
  Bytes quantized, scales, patches, rectangle;
};

inline Room room_of(const OpContext& c, const Geometry& g) {
  const ProductShape s = {g.s.m, g.group_filters(), g.s.k};
  const int32_t precision = c.ints[cnv::kPrecision];
  Room r = {conv_block_rows(s, c.parallel.threads), 1, 0, 0, 0, 0};
  uint64_t floats = static_cast<uint64_t>(s.k);
  if (precision == lin::kF32) {
    // Eights are what tiles of outputs are made of.
    const int64_t most = s.m < kBlockRows ? s.m : kBlockRows, rows = 2 * gathered_rows(s, kLeastBlockRows / 2, most) / 8 * 8;
    r.rows = r.gathered = clamped(rows, kLeastBlockRows, most);
  } else {
    if (r.rows < g.shared) r.rows = g.shared;
    const uint64_t rows = static_cast<uint64_t>(r.rows);
    r.quantized =
        Bytes(rows) * Bytes(kernels::max_quantized_row_bytes(lin::kernel_precision(precision), static_cast<size_t>(s.k)));
    r.scales = (Bytes(rows) * Bytes(sizeof(kernels::RowScale))).aligned();
    if (g.shared == 0) r.gathered = gathered_rows(s, 1, r.rows);
  }
  if (g.shared != 0) {
    floats = static_cast<uint64_t>(rectangle_elements(c, g));
    r.rectangle = kernels::max_quantized_row_bytes(kernels::Precision::kW8A8, static_cast<size_t>(floats));
  }
  r.patches = (Bytes(static_cast<uint64_t>(r.gathered)) * Bytes(floats) * Bytes(sizeof(float))).aligned();
  return r;
}

}  // namespace ert::ops
