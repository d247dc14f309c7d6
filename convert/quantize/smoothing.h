// Smoothing factors of every Linear from the ranges of its input channels (SmoothQuant, Xiao et al. 2022, with the factors
// kept in the op instead of folded into a producer: DESIGN 2).
#pragma once

#include <map>
#include <vector>

#include "convert/quantize/layer_samples.h"

namespace edgeconv {

// smooth[k] = sqrt(amax[k] / wmax[k]), normalised to geometric mean 1. Linears that share a weight share the factors.
std::map<NodeId, std::vector<float>> smoothing_factors(const Graph& g, const LayerSamples& samples);

}  // namespace edgeconv
