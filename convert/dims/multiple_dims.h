// Dims that must be multiples of a number, so that sizes fit together: a map is cut into squares, or halved and doubled again.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Calls each such dim by its multiple (dim_multiple.h: `4*height` for `height`; Graph::same_dims knows it by the old name, too), infers the graph
// again, and tells the user. The equalities that hold for multiples only are proven then, and all other sizes are refused where they are given. Leading
// axes stay: a batch that must be a multiple is a size that the exporter froze.
void name_multiples(Graph& g, Diagnostics& d);

}  // namespace edgeconv
