// Which types of operands a node takes. ONNX demands it of files; a runtime op would be given operands that it does not compute with.
#pragma once

#include <string>

#include "convert/ir/graph.h"

namespace edgeconv {

// What is wrong with the types of the node's inputs, all of which have one; empty when nothing is.
std::string type_fault(const Graph& g, const Node& n);

}  // namespace edgeconv
