// One small change of a graph: models that nearly are what a pass looks for.
#pragma once

#include <cstdint>
#include <string>

#include "convert/ir/graph.h"

namespace edgeconv::testing {

// The same change for the same seed: a constant that holds something else or becomes an input, an attribute, an operand, one more reader of
// a value inside, a node in between. Says what was done; empty where this seed finds nothing to change. Shapes are unknown afterwards.
std::string change_graph(Graph& g, uint64_t seed);

}  // namespace edgeconv::testing
