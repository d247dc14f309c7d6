// Layers that sum more products than the runtime's integers hold exactly. They have no int8 form.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Whether a Linear, behind the passes, has more than kMaxExactDepth rows of weights.
bool is_too_deep(const Graph& g, const Node& n);

// One warning that names them, where a user asked for fewer bits.
void warn_of_deep_layers(const Graph& g, Diagnostics& d);

}  // namespace edgeconv
