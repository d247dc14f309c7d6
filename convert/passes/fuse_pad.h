// Concats that pad: a tensor, and a fill of one value for the rest of a fixed length (torch.cat([x, torch.zeros(total - length)])).
#pragma once

#include <optional>

#include "convert/ir/graph.h"

namespace edgeconv {

// Which of the two inputs of a Concat is such a fill. It becomes a Pad, which may be by nothing where a fill would be an empty
// tensor: at the full length.
std::optional<size_t> padding_input(const Graph& g, const Node& concat);

}  // namespace edgeconv
