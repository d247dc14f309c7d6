// One spatial axis of a ConvTranspose: its element i of the input adds to elements i * stride + tap * dilation - begin of the output.
#pragma once

#include <cstdint>
#include <optional>

#include "convert/ir/attributes.h"

namespace edgeconv {

struct TransposedAxis {
  int64_t kernel, stride, dilation;
  int64_t begin;  // how many leading elements are cut off
  DimExpr out;
};

// For spatial axis i of this size; nothing where the padding follows from a size that is not known (output_shape).
std::optional<TransposedAxis> transposed_axis(const ConvTransposeAttrs& a, size_t i, size_t axes, const DimExpr& size,
                                              int64_t kernel);

}  // namespace edgeconv
