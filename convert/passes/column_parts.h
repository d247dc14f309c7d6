// Columns of a tensor whose last step was to put two of them side by side, as real and imaginary parts are.
#pragma once

#include <cstdint>

#include "convert/ir/graph.h"

namespace edgeconv {

// How many columns a Concat put side by side to make axis `axis` of v, each of size 1, behind operators that treat all columns alike: 2, or 0
// where it is made in another way.
int64_t column_count(const Graph& g, ValueId v, int64_t axis);

// A value for column i, with an axis of size 1. column_count(g, v, axis) is not 0. Adds nodes of this origin.
ValueId column_part(Graph& g, ValueId v, int64_t axis, int64_t i, const Origin& origin);

}  // namespace edgeconv
