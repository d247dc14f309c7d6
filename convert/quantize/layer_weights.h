// The weights of every Linear as an int8 product holds them.
#pragma once

#include <vector>

#include "convert/quantize/layer_samples.h"
#include "convert/quantize/precision_plan.h"
#include "convert/quantize/weight_store.h"

namespace edgeconv {

struct QuantizedLayers {
  LayerSamples samples;     // thinned out: for the sensitivity of layers
  SmoothingFactors smooth;  // of the Linears whose weights did not come quantized
};

// Runs the calibration inputs, smooths and rounds every weight by what its layers read, and puts it into the store. Linears that
// share a weight share both. Weights that came quantized keep their integers, which rules factors out. lhs_steps: of the
// precision that most layers will have (smoothing.h); the factors serve any.
QuantizedLayers quantize_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration,
                                const std::optional<PaddingMask>& padding, double lhs_steps, WeightStore& store);

}  // namespace edgeconv
