// Where indices come from, and which axes of computed tensors the inputs of a graph index.
#pragma once

#include <map>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// The value that indices are made of by casts, views, parts, sums with and products by constants.
struct IndexOrigin {
  ValueId value = kNone;  // an input of the graph, or what is neither such a step nor anything known
  bool computed = false;  // of a Range or a CumSum
  bool part = false;      // one coordinate of many: the index says nothing of the others
  bool scaled = false;
  int64_t offset = 0;  // the sum of what is added
  int64_t reach = 0;   // how far constants of several numbers that are added go beyond that
};
IndexOrigin index_origin(const Graph& g, ValueId indices);

// Inputs, and the sizes of the axes that they index: nodes by the edges of a graph, graphs by the nodes. Tables of constants are not among them.
std::map<ValueId, std::vector<DimExpr>> indexed_axes(const Graph& g);

}  // namespace edgeconv
