// Equalities of sizes that inference left open (Graph::equalities) are tried out on the ranges of the dims: most hold for all sizes
// (a sequence padded to whole windows), some only up to a size (a slice of a table), some hardly ever (a frozen number).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// Whether both sides are known with these sizes, and equal.
bool holds(const SizeEquality& e, const std::map<std::string, int64_t>& dims);

// The number above 1 of which all of `good`, two sizes or more, and none of `bad` are multiples; 1: there is none.
int64_t common_step(const std::vector<int64_t>& good, const std::vector<int64_t>& bad);

// Range of every dim, in and out: narrowed to the sizes for which all equalities hold. What holds for no range of sizes throws
// FatalError(kUnsupported), with all such nodes.
void narrow_to_equalities(const Graph& g, std::map<std::string, std::pair<int32_t, int32_t>>& range);

}  // namespace edgeconv
