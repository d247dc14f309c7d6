// Sizes that the runtime, or this machine, cannot hold: found before anything of that size is made.
#pragma once

#include "convert/emit/target.h"
#include "convert/ir/graph.h"
#include "convert/interp/work.h"

namespace edgeconv {

// Every value at the maximum dims within 2^31 - 1 elements, no axis of size 0. Throws FatalError(kLimit or kUnsupported) that
// names the value and what to do.
void check_runtime_limits(const TargetProgram& p);

// Every value of the graph at these sizes of its dims within what the interpreter may take in memory. Throws FatalError(kLimit).
void check_interpreter_limits(const Graph& g, const DimSizes& dims);
void check_interpreter_limits(const Graph& g, const std::vector<Tensor>& inputs);
bool within_interpreter_limits(const Graph& g, const DimSizes& dims);

}  // namespace edgeconv
