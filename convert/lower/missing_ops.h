// Why a kind of node that is left after all passes cannot run on a device, and what a user can do about it.
#pragma once

#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct MissingOp {
  std::string reason, hint;
};

MissingOp missing_op(const Graph& g, const Node& n);

// After import or inference found problems: adds what else is wrong with the rest of the graph, as if those problems were solved.
// Nothing is said about nodes whose only fault is that they read the result of a refused one.
void add_remaining_problems(Graph g, Diagnostics& d);

}  // namespace edgeconv
