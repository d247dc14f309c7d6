// Which convolutions quantize the patches of neighbouring outputs with one range (rt/ops/op_params.h, conv): those whose patches cost more to
// quantize than to multiply. All positions of a channel then have one smoothing factor, as the inputs are smoothed before they are patches.
#pragma once

#include <cstdint>

#include "convert/ir/graph.h"

namespace edgeconv {

// Neighbours that share a range where this Linear over Patches is int8; 0: every patch has its own.
int64_t shared_columns(const Graph& g, const Node& linear);

// Channels of each position of the patches that this Linear reads where they share ranges; 0 elsewhere.
int64_t tied_channels(const Graph& g, const Node& linear);

// Inputs that are quantized where this Linear is int8, for each of its patches' elements; 1 where every patch has its own range.
double quantized_share(const Graph& g, const Node& linear);

}  // namespace edgeconv
