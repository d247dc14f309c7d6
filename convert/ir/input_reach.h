// What is computed from inputs of a graph, and what from its constants alone.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

// Whether v is computed from the contents of any graph input; their sizes do not count.
bool reads_an_input(const Graph& g, ValueId v);

}  // namespace edgeconv
