// Replaces an If with a known condition by its branch, and a Loop with a known small trip count by copies of its body.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

// Inlines every If and Loop of g that is decided; returns how many. The graph is left sorted.
int inline_decided_bodies(Graph& g);

}  // namespace edgeconv
