// The loops around the tiles of the int8 GEMMs: groups of columns outermost, so that each weight byte leaves the far caches once a
// call, rows inner. A level gives its tiles: functions that do some rows of one group. Internal linkage: translation units
// with different flags include this.
#pragma once

#include <string.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {

struct LineBlocks;
struct RowMarks;

namespace {

// What a tile works on: some rows times one group of columns.
struct TileArgs {
  size_t k;  // rounded up to whole lines of the layout
  const uint8_t* lhs;
  size_t row_bytes;
  const RowScale* rows;
  const int8_t* rhs;  // first line of the group; of several panels, the others are panel_bytes apart
  size_t panel_bytes;
  const float* scale;  // of the group's columns; none of the three is null
  const int32_t* colsum;
  const float* bias;
  float* dst;
  ptrdiff_t dst_stride;
  // What the level found out about the rows or the group's weights.
  const uint64_t* line_pairs = nullptr;  // of the weights, or
  const RowMarks* row_marks = nullptr;   // of the rows: loops/line_pairs.h
  const LineBlocks* blocks = nullptr;    // neon/line_blocks.h
  size_t ahead = 0;                      // bytes from rhs to the panel that a tile of kSecond is to fetch
  Clamp clamp = Clamp::kNone;            // as of GemmArgs; on levels that clamp
};
using TileFn = void (*)(const TileArgs&);

// Epilogue parameters of one group of columns. A group that is cut by n gets padded copies, so that tiles need no masks.
template <int kColumns>
struct ColumnGroup {
  const float* scale;
  const int32_t* colsum;
  const float* bias;
  // Whole vectors where the group has them; no more, because aligning costs stack on small cores.
  static constexpr size_t kAlign = kColumns * sizeof(float) < 32 ? kColumns * sizeof(float) : 32;
  alignas(kAlign) float scale_copy[kColumns];
  alignas(kAlign) int32_t colsum_copy[kColumns];
  alignas(kAlign) float bias_copy[kColumns];

  // Columns [column, column + columns) of w, columns <= kColumns.
  void select(const PackedWeights& w, size_t column, size_t columns) {
    scale = w.scale + column;
    colsum = w.colsum + column;
    bias = w.bias != nullptr ? w.bias + column : bias_copy;
    if (w.bias == nullptr || columns < kColumns) {
      // x + -0 is x for every x, so a missing bias needs no second form.
      for (size_t c = 0; c < kColumns; ++c) bias_copy[c] = w.bias != nullptr && c < columns ? bias[c] : -0.0f;
      bias = bias_copy;
    }
    if (columns == kColumns) return;
    for (size_t c = 0; c < kColumns; ++c) {
      scale_copy[c] = c < columns ? scale[c] : 0.0f;
      colsum_copy[c] = c < columns ? colsum[c] : 0;
    }
    scale = scale_copy;
    colsum = colsum_copy;
  }
};

// Calls block(first row, rows) for even blocks of at most `most` rows: 9 rows of an 8-row tile are 5 + 4, not 8 + 1. Blocks but the last have a
// multiple of kTogether rows, and so has `most`.
template <size_t kTogether = 1, typename Block>
inline __attribute__((always_inline)) void for_even_blocks(size_t m, size_t most, const Block& block) {
  if (m == 0) return;
  size_t blocks = (m + most - 1) / most;
  if constexpr (kTogether == 1) {
    // The first `longer` ones have a row more. One division for all: on many cores it takes as long as a short row.
    const size_t shorter = m / blocks;
    size_t longer = m - shorter * blocks;
    for (size_t row = 0; row < m;) {
      const size_t rows = shorter + (longer > 0);
      longer -= longer > 0;
      block(row, rows);
      row += rows;
    }
    return;
  }
  for (size_t row = 0; row < m; --blocks) {
    size_t rows = (m - row + blocks - 1) / blocks;
    rows = round_up(rows, kTogether) < m - row ? round_up(rows, kTogether) : m - row;
    block(row, rows);
    row += rows;
  }
}

// Whether a second tile is to fetch the next group.
inline bool is_far(const GemmArgs& g) { return g.n * g.k >= g.caches.far_from_tiles(); }

// All rows times one group of columns; entry r - 1 of `tiles` does r rows, of kSecond (if there is one) in the second block of
// rows and in as many as there are panels in a group. There are most_rows of them, at most kMaxRows. A cut group goes through a buffer, because tiles store whole groups.
template <int kColumns, const TileFn* kSecond, size_t kMaxRows, size_t kTogether = 1>
inline __attribute__((always_inline)) void gemm_group(const TileFn* tiles, size_t most_rows, const GemmArgs& g, size_t column,
                                                      TileArgs* t) {
  const size_t columns = g.n - column < kColumns ? g.n - column : kColumns;
  ColumnGroup<kColumns> group;
  group.select(g.w, column, columns);
  t->scale = group.scale;
  t->colsum = group.colsum;
  t->bias = group.bias;
  for_even_blocks<kTogether>(
      g.m, most_rows, [&](size_t row, size_t rows) __attribute__((always_inline)) {
        t->lhs = static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes;
        t->rows = g.scales + row;
        t->dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
        if (columns == kColumns) {
          constexpr size_t kPanels = kColumns < 16 ? 1 : kColumns / 16;
          t->ahead = (kPanels - 1 + (row + kMaxRows - 1) / kMaxRows) * t->panel_bytes;
          (kSecond != nullptr && row > 0 && row <= kPanels * kMaxRows ? kSecond : tiles)[rows - 1](*t);
          return;
        }
        float buffer[kMaxRows * kColumns];
        float* out = t->dst;
        t->dst = buffer;
        t->dst_stride = kColumns;
        tiles[rows - 1](*t);
        t->dst_stride = g.dst_stride;
        for (size_t r = 0; r < rows; ++r)
          memcpy(out + static_cast<ptrdiff_t>(r) * g.dst_stride, buffer + r * kColumns, columns * sizeof(float));
      });
}

enum class LastGroup { kWhole, kCut };

struct NoPreparation {
  void operator()(TileArgs*) const {}
};

// Groups of kColumns columns from `column` on: those that lie in n whole, with kCut also one that does not. Calls prepare(&args) once a group,
// before its tiles. kTogether: as of for_even_blocks. Returns the first column not done.
template <int kColumns, LastGroup kLast, Layout layout = Layout::kN16K4, const TileFn* kSecond = nullptr, size_t kTogether = 1,
          size_t kMaxRows, typename Prepare = NoPreparation>
size_t gemm_columns(const TileFn (&tiles)[kMaxRows], const GemmArgs& g, size_t column, const Prepare& prepare = {}) {
  constexpr size_t kPanel = panel_columns(layout), kDepth = line_depth(layout);
  const size_t k = round_up(g.k, kDepth);
  TileArgs t = {k, nullptr, g.row_bytes, nullptr, nullptr, kPanel * k, nullptr, nullptr, nullptr, nullptr, g.dst_stride};
  t.clamp = g.clamp;
  for (; column + (kLast == LastGroup::kCut ? 1 : kColumns) <= g.n; column += kColumns) {
    t.rhs = g.w.data + column / kPanel * t.panel_bytes + column % kPanel * kDepth;
    prepare(&t);
    gemm_group<kColumns, kSecond, kMaxRows, kTogether>(tiles, kMaxRows, g, column, &t);
  }
  return column;
}

// All groups for a layout and tiles that are known at run time only: one copy of the loops for all GEMMs of a level, where code is scarce.
template <int kColumns, size_t kMaxRows, typename Prepare = NoPreparation>
__attribute__((noinline)) void gemm_of_layout(Layout layout, const TileFn* tiles, size_t most_rows, const GemmArgs& g,
                                              const Prepare& prepare = {}) {
  const size_t k = round_up(g.k, line_depth(layout)), in_panel = panel_columns(layout) - 1;  // a power of two less one
  TileArgs t = {k,       nullptr, g.row_bytes, nullptr, nullptr,     panel_columns(layout) * k,
                nullptr, nullptr, nullptr,     nullptr, g.dst_stride};
  for (size_t column = 0; column < g.n; column += kColumns) {
    t.rhs = g.w.data + (column & ~in_panel) * k + (column & in_panel) * line_depth(layout);
    prepare(&t);
    gemm_group<kColumns, nullptr, kMaxRows>(tiles, most_rows, g, column, &t);
  }
}

}  // namespace
}  // namespace ert::kernels
