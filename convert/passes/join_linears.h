// Linears that read the same input become one Linear with the columns of all: the input is quantized once, and one GEMM with
// more columns runs closer to the peak than several.
#pragma once

#include <vector>

#include "convert/passes/match.h"

namespace edgeconv {

// Where a product is read.
struct ProductReader {
  NodeId node = -1;
  size_t operand = 0;
};

// The Linear without activation behind the operand, if nothing else reads it.
const Node* private_linear(const Graph& g, const Users& users, const ProductReader& r);

// Joins the Linears behind the readers, which are all private and have the same input, and lets the readers read the result.
// Gives the first column of each.
std::vector<int64_t> join_linears(Graph& g, const std::vector<ProductReader>& readers);

}  // namespace edgeconv
