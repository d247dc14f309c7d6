// Dims that the file names and that its nodes give one size.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "convert/import_graph/import_model.h"

namespace edgeconv {

// Throws FatalError(kUsage) where the user gives such a dim a largest size, with the --fix that chooses its size. g: inferred; others may lack a dim altogether,
// which is told when ranges are planned.
void check_dims_vary(const Graph& g, const ModelInfo& info, const std::map<std::string, int64_t>& most);

}  // namespace edgeconv
