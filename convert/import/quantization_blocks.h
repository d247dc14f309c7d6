// Quantized operators are written as DequantizeLinear, the float operator, QuantizeLinear; the passes of quantized_pass_list.inc
// take them apart again.
#pragma once

#include "convert/import/building_blocks.h"

namespace edgeconv {

// A per-channel scale lies along `axis` of x.
ValueId dequantized(ImportContext& c, const OnnxNode& n, ValueId x, ValueId scale, ValueId zero_point, int64_t axis);

// The node's inputs i, i + 1, i + 2: values, scale, zero point (may be absent).
ValueId dequantized_input(ImportContext& c, const OnnxNode& n, size_t i, int64_t axis = -1);

// Binds output 0 to x quantized with the scale and zero point of inputs i and i + 1.
void bind_quantized(ImportContext& c, const OnnxNode& n, ValueId x, size_t i);

}  // namespace edgeconv
