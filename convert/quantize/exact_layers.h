// Layers whose results become integers, such as a ConvInteger on integers: a cast makes whole steps of their rounding errors.
#pragma once

#include <set>

#include "convert/ir/graph.h"

namespace edgeconv {

// Linears that a cast to an integer type reads, directly or through views. They stay fp32, whatever was asked for.
std::set<NodeId> exact_layers(const Graph& g);

}  // namespace edgeconv
