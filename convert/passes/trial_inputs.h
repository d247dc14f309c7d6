// Inputs on which a graph runs in milliseconds, for the comparison of passes (output_check.h). They need not be typical, only valid,
// and are made of the graph alone: the inputs that conversions make up (inputs/) know the user's dims and stand above the passes, which
// also run where there are none yet.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

struct TrialInputs {
  std::vector<Tensor> inputs, outputs;  // outputs: what the graph gives on them, from the oracle
  std::string reason;                   // why there are none; empty: there are
};

// Sizes are tried from small to large until the graph runs and gives finite numbers.
TrialInputs trial_inputs(const Graph& g);

}  // namespace edgeconv
