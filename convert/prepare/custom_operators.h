// The operators of a model that an application's own kernels run.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// "DOMAIN::NAME" of each operator that is passed through to the application's kernels, without repetition; empty for most models.
std::vector<std::string> custom_operators(const Graph& g);

}  // namespace edgeconv
