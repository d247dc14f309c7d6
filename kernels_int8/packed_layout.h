// Where a weight sits in packed weights (layouts are drawn in README.md).
#pragma once

#include <stddef.h>

#include "kernels_int8/kernel_table.h"

namespace ert::kernels {

// Byte offset of the weight of `column` and `k_index` in a matrix of k rows.
constexpr size_t packed_offset(Layout layout, size_t column, size_t k_index, size_t k) {
  const size_t columns = panel_columns(layout), depth = line_depth(layout);
  return column / columns * columns * round_up(k, depth) + k_index / depth * columns * depth + column % columns * depth +
         k_index % depth;
}

}  // namespace ert::kernels
