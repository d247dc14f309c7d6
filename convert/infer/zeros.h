// Values that are zero whatever the dims are.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

// Of floats: exporters expand or slice a zero state instead of leaving it out.
bool is_zero(const Graph& g, ValueId v);

}  // namespace edgeconv
