// How large the hidden states are that a decoder reads: what an encoder's last normalization gives, which is in another file.
#pragma once

#include <map>

#include "convert/ir/graph.h"

namespace edgeconv {

// Root mean square of each row, of inputs that are hidden states by their name, where it is not about 1. Normalized rows have that of the
// weights behind, and a decoder's own norms are like those of its encoder: T5's weights are about 0.15, its attention does not divide by
// the root of the width, and eight times as large states make it pick single tokens.
std::map<ValueId, float> hidden_state_levels(const Graph& g);

}  // namespace edgeconv
