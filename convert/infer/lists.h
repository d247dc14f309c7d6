// Which inputs of a node are lists of numbers: axes, sizes, positions.
#pragma once

#include <string>

#include "convert/ir/graph.h"

namespace edgeconv {

// What is wrong with the ranks of the node's lists, whose shapes are known; empty when nothing is.
std::string list_fault(const Graph& g, const Node& n);

}  // namespace edgeconv
