// Packed weights: the layouts, which README.md draws, and where a weight sits in each.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {

constexpr size_t round_up(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// N is cut into panels of some columns, a panel into lines of some k; a line has the bytes of one column after the other. N and K are padded
// with zeros to whole panels and lines. The numbers are part of the blob format (rt/ops/op_params.h): only append.
enum class Layout : uint8_t { kN16K4, kN8K8, kN2K16, kN16K2, kCount };
constexpr size_t panel_columns(Layout l) { return l == Layout::kN8K8 ? 8 : l == Layout::kN2K16 ? 2 : 16; }
constexpr size_t line_depth(Layout l) { return l == Layout::kN16K4 ? 4 : l == Layout::kN8K8 ? 8 : l == Layout::kN2K16 ? 16 : 2; }
// Of one weight: kN16K2 has int16, the others int8.
constexpr size_t weight_bytes(Layout l) { return l == Layout::kN16K2 ? 2 : 1; }

// Bytes of n columns. Also where column n starts, if it is the first of a panel.
constexpr size_t packed_bytes(Layout l, size_t n, size_t k) {
  return round_up(n, panel_columns(l)) * round_up(k, line_depth(l)) * weight_bytes(l);
}

// Quantized weights of one Linear, or of some columns of it from the first of a panel on.
struct PackedWeights {
  const int8_t* data;     // packed_bytes(layout, n, k) bytes, 64-byte aligned; values in [-127, 127]. Of N16K2: int16 in [-2047, 2047]
  const float* scale;     // float [n], > 0, or 0 for a column of zeros
  const int32_t* colsum;  // int32 [n], sum over k of the column's values. Of N16K2: null
  const float* bias;      // float [n]; or null: then no addition takes place
  Layout layout = Layout::kN16K4;
};

// Byte offset of the weight of `column` and `k_index` in a matrix of k rows.
constexpr size_t packed_offset(Layout layout, size_t column, size_t k_index, size_t k) {
  const size_t columns = panel_columns(layout), depth = line_depth(layout);
  return (column / columns * columns * round_up(k, depth) + k_index / depth * columns * depth + column % columns * depth +
          k_index % depth) *
         weight_bytes(layout);
}

// Calls multiply(kk, weight) for all k weights of a column of int8, in order. Lines hold a column's weights side by side, so that only the
// line is looked up.
template <Layout layout, class Multiply>
inline void for_column(const int8_t* data, size_t column, size_t k, const Multiply& multiply) {
  constexpr size_t depth = line_depth(layout), step = panel_columns(layout) * depth;
  const int8_t* line = data + packed_offset(layout, column, 0, k);
  size_t kk = 0;
  for (; k - kk >= depth; line += step, kk += depth) {
#pragma GCC unroll 4
    for (size_t d = 0; d < depth; ++d) multiply(kk + d, line[d]);
  }
  for (; kk < k; line += step) {
    const size_t end = k - kk < depth ? k : kk + depth;
    for (const int8_t* weight = line; kk < end; ++kk) multiply(kk, *weight++);
  }
}

}  // namespace ert::kernels
