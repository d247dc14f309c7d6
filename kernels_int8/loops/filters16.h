// What kernels share that compute some outputs of one or two panels of 16 filters at a time: parameters of the filters, and outputs in even blocks.
#pragma once

#include <string.h>

#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

// Scales and biases of the filters [filter, filter + columns), columns <= kColumns: where they lie, or copies; of what is missing zeros.
template <size_t kColumns>
struct FilterColumns {
  const float *scale, *bias;  // float [kColumns]

  void select(const PackedWeights& w, size_t filter, size_t columns) {
    const bool whole = columns == kColumns;
    scale = whole ? w.scale + filter : copied(w.scale + filter, columns, 0.0f, scale_);
    const float* of_filters = w.bias != nullptr ? w.bias + filter : nullptr;
    bias = whole && of_filters != nullptr ? of_filters : copied(of_filters, columns, -0.0f, bias_);  // x + -0 is x
  }

 private:
  static const float* copied(const float* from, size_t columns, float missing, float (&to)[kColumns]) {
    for (size_t c = 0; c < kColumns; ++c) to[c] = c < columns && from != nullptr ? from[c] : missing;
    return to;
  }
  float scale_[kColumns], bias_[kColumns];
};

// Calls tile(first, count, to, stride) for blocks of at most kMost outputs, which writes kColumns columns of each: to dst, where `columns` are wanted of
// each output, and beside it if they are fewer. Strides in floats.
template <size_t kColumns, size_t kMost, typename Tile>
inline __attribute__((always_inline)) void for_tiles(size_t outputs, size_t columns, float* dst, ptrdiff_t dst_stride, const Tile& tile) {
  for_even_blocks(outputs, kMost, [&](size_t first, size_t count) {
    float* to = dst + static_cast<ptrdiff_t>(first) * dst_stride;
    if (columns == kColumns) return tile(first, count, to, dst_stride);
    float buffer[kColumns * kMost];
    tile(first, count, buffer, ptrdiff_t{kColumns});
    for (size_t r = 0; r < count; ++r) memcpy(to + static_cast<ptrdiff_t>(r) * dst_stride, buffer + kColumns * r, columns * sizeof(float));
  });
}

}  // namespace
}  // namespace ert::kernels
