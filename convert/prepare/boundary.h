// Changes to a model's inputs and outputs before anything is planned: what the user joins, and types that devices do not take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// --concat NAME=OUT1,OUT2[,..]:AXIS
struct Join {
  std::string name;
  std::vector<std::string> outputs;
  int64_t axis = 0;  // negative: from the end
};

// Throws FatalError(kUsage) saying what is wrong with the text.
Join parse_join(const std::string& text);

// Each join replaces its outputs, at the place of the first of them, by their Concat. The graph has been inferred; infer it again
// afterwards. Throws FatalError(kUsage) for unknown outputs and for ranks, types or sizes that do not fit.
void join_outputs(Graph& g, const std::vector<Join>& joins);

// Inputs and outputs of another float type become float32, with a Cast behind or before them and a warning each. True if there
// were any; infer the graph again then.
bool expose_float32(Graph& g, Diagnostics& d);

}  // namespace edgeconv
