// Sets of inputs that follow each other: a model with states is fed in each with what it gave in the one before.
#pragma once

#include <vector>

#include "convert/dims/dims.h"
#include "convert/inputs/frames.h"
#include "convert/ir/graph.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// All inputs that are states, kept by the runtime or not: what made-up inputs go by.
std::vector<KeptState> states_of(const Graph& g, const DimPlan& dims);

// Fills the states of each set, zeros in the first, by running the model on the canonical backend. Returns how many sets there are before a state leaves the table that it
// indexes: all, but for a counter that goes too far.
size_t follow_states(const Graph& g, const DimPlan& dims, const std::vector<KeptState>& states,
                     std::vector<std::vector<Tensor>>& sets);

// The frames that recorded arrays hold, states zero. arrays: for each input but the kept states, with samples before its axes or along the first of them, or one for all frames.
// Throws FatalError(kUsage) where they hold different numbers.
std::vector<std::vector<Tensor>> recorded_frames(const Graph& g, const DimPlan& dims, Frame arrays);

}  // namespace edgeconv
