// Weights of convolutions over maps: those of the rows of the kernel one behind the other (rt/ops/op_params.h, map_conv).
#pragma once

#include "convert/quantize/map_layers.h"
#include "convert/quantize/weight_store.h"

namespace edgeconv {

// The weights of a Linear over patches with so many rows: matrices N16K4 with map_columns(n) columns each, and a column sum for each of these. Scales stay.
PackedWeights by_kernel_rows(const PackedWeights& linear, int64_t rows);

// Of a depthwise convolution with weight [positions, C]: one scale a channel. Factors multiply the weights; empty: none.
PackedWeights depthwise_weights(const Tensor& weight, const MapLayer& layer, const std::vector<float>& smooth);

}  // namespace edgeconv
