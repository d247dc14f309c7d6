// Shape, type and value inference: fills dtype and shape of every value, the symbolic contents of small integer tensors
// (shape arithmetic), and folds what is constant. One file per group of ops in infer/.
#pragma once

#include <map>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct InferResult {
  bool changed = false;
};

// Runs over the graph in order, to a fixpoint with the union of equal dims (a dim_param proven equal to another by a
// broadcast or MatMul is replaced everywhere). Nodes whose inputs are all constant are evaluated by the canonical
// interpreter and become constants. Reports contradictions (a literal against a declared dynamic axis) and shapes that
// depend on data as problems. Safe to call again after passes.
InferResult infer(Graph& g, Diagnostics& d);

// Infers one node whose inputs are known; used by passes after they add nodes.
void infer_node(Graph& g, NodeId n, Diagnostics& d);

}  // namespace edgeconv
