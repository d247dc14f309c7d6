// Inputs that are lengths: how many elements of an axis count.
#pragma once

#include <map>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// Inputs, and the largest numbers that they may hold for each axis that is counted by them, through casts, views and arithmetic with constants (a
// front end of stride 2 gives (length + 1) / 2 steps): the steps of each sequence of a recurrent layer, the part that is reversed.
std::map<ValueId, std::vector<DimExpr>> counted_axes(const Graph& g);

}  // namespace edgeconv
