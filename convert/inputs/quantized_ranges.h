// What a statically quantized file tells of its float inputs: it rounds them to the range that its calibration saw.
#pragma once

#include "convert/dims/dims.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Fills dims.rounded_to for the inputs of g that `as_quantized` (prepare/as_quantized.h), the same model with its roundings, reads through QuantizeLinear
// nodes of one range only.
void take_quantized_ranges(const Graph& as_quantized, const Graph& g, DimPlan& dims);

}  // namespace edgeconv
