// hidden[ids == eos].view(batch, -1, size)[:, -1], the pooling of BART's and T5's classifiers: the number of marked tokens depends on data,
// but the last one of every row does not need it.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "convert/import_graph/node_patterns.h"

namespace edgeconv {

// Rewrites NonZero, Transpose, GatherND, Reshape and Gather of that form to the last position where the mask holds, and the row there. In a row
// without a marked token, where the original fails, that is the last row. `outputs`: names that the graph gives out.
void pool_last_marked_token(std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs,
                            const ConstantInts& constant);

}  // namespace edgeconv
