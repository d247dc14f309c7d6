// Smoothing factors of every Linear from the ranges of its input channels (SmoothQuant, Xiao et al. 2022, with the factors
// kept in the op instead of folded into a producer: DESIGN 2).
#pragma once

#include <map>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// Per input channel of each Linear node: largest magnitude over the calibration inputs.
using ChannelRanges = std::map<NodeId, std::vector<float>>;

// Runs the fused graph on ert's own kernels, so that the ranges, and with them the blob, are the same on every host.
ChannelRanges channel_ranges(const Graph& g, const std::vector<std::vector<Tensor>>& calibration);

// smooth[k] = sqrt(amax[k] / wmax[k]), normalised to geometric mean 1. Linears that share a weight share the factors.
std::map<NodeId, std::vector<float>> smoothing_factors(const Graph& g, const ChannelRanges& ranges);

}  // namespace edgeconv
