// What each graph of a pass test shows besides: that passes keep what graphs compute that nearly are it.
#pragma once

#include "convert/ir/graph.h"
#include "convert/passes/pass.h"

namespace edgeconv::testing {

// g with one thing changed (graph_changes.h), many times: all passes keep its outputs, under the check of debug builds. ERT_NEAR_MISSES=N sets how often.
void passes_keep_near_misses(const Graph& g);

// Whether weights that are others in their last bits make other outputs: a norm that divides by what rounding left over, NaN in the end.
bool is_sensitive(const Graph& g, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);

}  // namespace edgeconv::testing
