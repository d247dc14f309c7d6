// Where a model is refused because it depends on what an input holds or how long it is: the --const and --fix that would decide it.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Adds to the hints of problems. The graph has been inferred; d holds what was found.
void advise_pinning(const Graph& g, Diagnostics& d);

}  // namespace edgeconv
