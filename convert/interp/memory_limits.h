// What values of a graph may take on this host: found before anything of that size is made.
#pragma once

#include <vector>

#include "convert/interp/work.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Every value of the graph at these sizes of its dims within what the interpreter may take in memory. Throws FatalError(kLimit).
void check_interpreter_limits(const Graph& g, const DimSizes& dims);
void check_interpreter_limits(const Graph& g, const std::vector<Tensor>& inputs);
bool within_interpreter_limits(const Graph& g, const DimSizes& dims);

// Of one value, which kNone or one without a shape does not have.
double value_bytes(const Graph& g, ValueId v, const DimSizes& dims);

// Bytes of the values that one run holds at a time, at most; inputs and outputs all along, bodies of If and Loop not at all.
double run_bytes(const Graph& g, const DimSizes& dims);

// What one run on made-up inputs may hold with the results that it is compared with: half a gigabyte, more for the parameters that a file
// brings, and a part of it where there are few (as allowed_work). A conversion takes about twice as much, for results of candidates and arenas.
double allowed_bytes(const Graph& g);

}  // namespace edgeconv
