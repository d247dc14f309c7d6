// Branches of an If, side by side.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

// Both branches of the If are computed, and Where selects. False where they may have side effects or are not known to agree; the graph stays as it is.
bool select_branches(Graph& g, NodeId id);

}  // namespace edgeconv
