// x[:, a:b] = y, as TorchScript writes it: the places of the slice are NonZero(ConstantOfShape(n)), a range in a roundabout way.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "convert/import_graph/node_patterns.h"

namespace edgeconv {

// Rewrites NonZero of n ones as the row 0, 1, .., n - 1 that it gives ([1, n], int64): its shape follows from n and not from data.
// `outputs`: names that the graph gives out. `is_taken`: whether an input, a constant or a value around the graph has a name; where one of the new
// values would need it, the nodes stay.
void count_indices_of_ones(std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs,
                           const ConstantInts& constant, const std::function<bool(const std::string&)>& is_taken);

}  // namespace edgeconv
