// What a quantized tensor was before it was quantized, seen through the nodes that only move elements.
#pragma once

#include <optional>
#include <vector>

#include "convert/passes/match.h"

namespace edgeconv {

struct QuantizedSource {
  ValueId base = kNone;          // output of a (Dynamic)QuantizeLinear, or an 8-bit constant
  std::vector<NodeId> movement;  // nodes between base and the value, the last one first; each reads its data from input 0
};

// Follows v back; nothing when its elements come from elsewhere. Through pools: also through MaxPools, which pick the same elements before and
// behind a quantization whose scale is above zero.
std::optional<QuantizedSource> quantized_source(const Graph& g, ValueId v, bool through_pools = false);

// The same movement of x instead of the base: new nodes, or x itself when there are none.
ValueId repeat_movement(Graph& g, const QuantizedSource& s, ValueId x);

// Both absent, the same value, or constants with the same contents.
bool same_value(const Graph& g, ValueId a, ValueId b);

}  // namespace edgeconv
