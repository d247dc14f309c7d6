// What one value of a graph may take on this host: found before anything of that size is made.
#pragma once

#include <vector>

#include "convert/interp/work.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Every value of the graph at these sizes of its dims within what the interpreter may take in memory. Throws FatalError(kLimit).
void check_interpreter_limits(const Graph& g, const DimSizes& dims);
void check_interpreter_limits(const Graph& g, const std::vector<Tensor>& inputs);
bool within_interpreter_limits(const Graph& g, const DimSizes& dims);

}  // namespace edgeconv
