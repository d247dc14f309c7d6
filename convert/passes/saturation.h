// What static quantization does to activations besides rounding them: QuantizeLinear saturates at the ends of its range.
#pragma once

#include <optional>

#include "convert/passes/match.h"

namespace edgeconv {

// ONNX Runtime's quantizer drops a Relu or Clip(0, c) whose result it quantizes with the zero point at the lower end, because saturation does the same.
struct DroppedActivation {
  std::optional<float> at;  // the c; nothing: a Relu
};

// Nothing where saturation stands for no activation: the zero point is not at the lower end, or what is quantized is never negative.
std::optional<DroppedActivation> dropped_activation(const Graph& g, const Node& quantize);

struct ValueRange {
  float low, high;  // infinite: no end
};

// What a QuantizeLinear saturates at. Nothing for scales that are no constant, differ between elements, or are below zero, and for masks and positions.
std::optional<ValueRange> saturation_range(const Graph& g, const Node& quantize);

// x within the range, in new nodes.
ValueId clipped(Graph& g, ValueId x, const ValueRange& range, const Origin& origin);

}  // namespace edgeconv
