// Outputs that the runtime keeps for inputs of its next run (--state OUT=IN): recurrent states, and the last samples of a convolution.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

struct StateNames {
  std::string output, input;
};

// Positions among the outputs and inputs of a graph.
struct KeptState {
  size_t output, input;
};

// Sorted by input. g: the model as exported, shapes inferred. Throws FatalError(kUsage) that lists everything wrong: names that the model does not have, names that are
// given twice, types or shapes that differ, shapes that are not fixed.
std::vector<KeptState> kept_states(const Graph& g, const std::vector<StateNames>& names);

// "what is recorded for state 'h' is not used: ..": recorded inputs of a model that keeps these states itself.
std::string unused_states_note(const std::set<std::string>& names);

}  // namespace edgeconv
