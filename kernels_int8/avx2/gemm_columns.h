// Epilogue parameters of one group of columns for the 256-bit GEMMs. A group that is cut by n gets padded copies, so that
// the tiles need no masks. Included by several translation units: everything here has internal linkage.
#pragma once

#include <string.h>

#include "kernels_int8/kernel_table.h"

namespace ert::kernels {
namespace {

template <int kColumns>
struct ColumnGroup {
  const float* scale;
  const int32_t* colsum;
  const float* bias;
  bool cut;
  alignas(32) float scale_copy[kColumns];
  alignas(32) int32_t colsum_copy[kColumns];
  alignas(32) float bias_copy[kColumns];

  // Columns [column, column + columns) of w, columns <= kColumns.
  void select(const PackedWeights& w, size_t column, size_t columns) {
    scale = w.scale + column;
    colsum = w.colsum + column;
    cut = columns < kColumns;
    if (cut) {
      memset(scale_copy, 0, sizeof(scale_copy));
      memset(colsum_copy, 0, sizeof(colsum_copy));
      memcpy(scale_copy, scale, columns * sizeof(float));
      memcpy(colsum_copy, colsum, columns * sizeof(int32_t));
      scale = scale_copy;
      colsum = colsum_copy;
    }
    if (w.bias == nullptr) {
      // x + -0 is x for every x, so a missing bias needs no second form.
      for (int c = 0; c < kColumns; ++c) bias_copy[c] = -0.0f;
      bias = bias_copy;
    } else if (cut) {
      memset(bias_copy, 0, sizeof(bias_copy));
      memcpy(bias_copy, w.bias + column, columns * sizeof(float));
      bias = bias_copy;
    } else {
      bias = w.bias + column;
    }
  }
};

// Runs `tile(rows_index, first_row, dst, dst_stride)` over m rows split evenly into blocks of at most kMaxRows: 8 rows of a
// 6-row kernel are 4 + 4. A cut group goes through a buffer, because tiles store whole groups.
template <int kMaxRows, int kColumns, typename Tile>
inline __attribute__((always_inline)) void for_row_blocks(size_t m, float* dst, ptrdiff_t dst_stride, size_t columns,
                                                          const Tile& tile) {
  size_t blocks = (m + kMaxRows - 1) / kMaxRows;
  for (size_t row = 0; row < m; --blocks) {
    const size_t rows = (m - row + blocks - 1) / blocks;
    float* out = dst + static_cast<ptrdiff_t>(row) * dst_stride;
    if (columns == kColumns) {
      tile(rows, row, out, dst_stride);
    } else {
      float buffer[kMaxRows * kColumns];
      tile(rows, row, buffer, kColumns);
      for (size_t r = 0; r < rows; ++r)
        memcpy(out + static_cast<ptrdiff_t>(r) * dst_stride, buffer + r * kColumns, columns * sizeof(float));
    }
    row += rows;
  }
}

}  // namespace
}  // namespace ert::kernels
