// Constant folding: nodes whose inputs are all constant become constants while a model is inferred.
#pragma once

#include "convert/infer/node_inference.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// What folding may spend on a graph with these constants. A hostile file must not buy hours, or all memory, with a few nodes.
FoldBudget fold_budget(const Graph& g);

// Evaluates a node of constants; false when it cannot be, or costs more than is left of g.fold_budget.
bool fold(Graph& g, Node& n, InferLog& log);

// v holds t from now on, and has no producer.
void become_constant(Graph& g, ValueId v, Tensor t);

}  // namespace edgeconv
