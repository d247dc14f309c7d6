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

// Calls multiply(kk, weight) for all k weights of a column, in order. Lines hold a column's weights side by side, so that only the
// line is looked up.
template <Layout layout, class Multiply>
inline void for_column(const int8_t* data, size_t column, size_t k, const Multiply& multiply) {
  constexpr size_t depth = line_depth(layout), step = panel_columns(layout) * depth;
  const int8_t* line = data + packed_offset(layout, column, 0, k);
  size_t kk = 0;
#if !defined(__OPTIMIZE_SIZE__)  // whole lines without counting
  for (; k - kk >= depth; line += step, kk += depth) {
#pragma GCC unroll 4
    for (size_t d = 0; d < depth; ++d) multiply(kk + d, line[d]);
  }
#endif
  for (; kk < k; line += step) {
    const size_t end = k - kk < depth ? k : kk + depth;
    for (const int8_t* weight = line; kk < end; ++kk) multiply(kk, *weight++);
  }
}

}  // namespace ert::kernels
