// Which layers compute over 8-bit maps where they are int8 (rt/ops/op_params.h, map_conv): convolutions with two spatial axes, dense and depthwise.
// A map is quantized row by row once, by whoever writes it, and everybody who reads it reads the same bytes. So all of its readers have the same smoothing factors.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

struct MapLayer {
  ValueId input = kNone;     // of the layer, channels last; of a Linear over Patches what these are taken of
  WindowAttrs window = {};   // two axes; one position for a Linear over the map itself
  int64_t channels = 0;      // of the input
  int64_t filters = 0;
  bool depthwise = false;
};

// What the layer would read. Nothing where the runtime's ops do not have it: one spatial axis, groups, dilated columns, kernels with too many rows.
std::optional<MapLayer> map_layer(const Graph& g, const Node& n);

// The layers that gain by it: convolutions whose patches overlap, which then need not be copied and quantized each; and others beside them, so that values in
// between have 8 bits. Depthwise convolutions are as quick in fp32, without a row to quantize for them, and so are those over few channels: they, and others
// beside them, only with MapUse::kAll, which takes less RAM and, on cores of profile M, less time.
using MapLayers = std::map<NodeId, MapLayer>;
MapLayers map_layers(const Graph& g);

// Layers whose factors must be the same, because they read one map or share a weight; each with all of its layers, ascending.
std::vector<std::vector<NodeId>> map_groups(const Graph& g, const MapLayers& layers);

}  // namespace edgeconv
