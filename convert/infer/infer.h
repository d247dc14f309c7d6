// Shape, type and value inference: fills dtype and shape of every value, the symbolic contents of small integer tensors
// (shape arithmetic), and folds what is constant. One file per group of ops in infer/.
#pragma once

#include <map>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct InferResult {
  bool changed = false;  // something became known that was not: a shape, contents, or that two dims are equal
};

// Sorts the graph and runs over it until nothing more becomes known:
// - dims that a node proves to be equal become one dim everywhere; a dim of an input that a node fixes to a number, too, with a warning;
// - nodes whose inputs are all constant become constants, by the canonical interpreter, as far as Graph::fold_budget goes;
// - an If or Loop whose condition or trip count is known is replaced by copies of its body.
// Problems are sizes that contradict each other, types that a node does not take, and shapes that depend on data. Sizes that may be equal
// or not go to Graph::equalities. May be called again after passes.
InferResult infer(Graph& g, Diagnostics& d);

}  // namespace edgeconv
