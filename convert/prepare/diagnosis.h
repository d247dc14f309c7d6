// Mistakes that exports commonly carry. The model converts all the same, but rarely to what its author meant: each finding is
// one warning that says what was seen and how to export again.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Before inference, which folds constants and fixes dims: declared sizes, constants that overflow in float16.
void diagnose_file(const Graph& g, Diagnostics& d);

// After inference, before passes: unused inputs, swapped inputs, masks that give NaN.
void diagnose_graph(const Graph& g, Diagnostics& d);

// After inference too: outputs that are compared by place and stand in an order that rounding changes (ordered_rows.cc).
void diagnose_order(const Graph& g, Diagnostics& d);

}  // namespace edgeconv
