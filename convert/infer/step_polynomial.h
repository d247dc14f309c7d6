// A value in the body of a loop as a polynomial: sums, differences, products and selections are multiplied out down to values that are none
// of these. So (1 - z) * n + z * h is the same however it is written, and so is a step that a mask leaves out, by Where or by arithmetic.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// Factors, sorted, and what they are multiplied with. A factor of type bool counts as 0 or 1, and its square is itself.
using Polynomial = std::map<std::vector<ValueId>, double>;

// Of each element of v. Factors have as many rows as v, and its columns or one. Nothing where that would be long.
std::optional<Polynomial> polynomial(const Graph& g, ValueId v);

// p where the factor `condition` holds, or where it does not.
Polynomial where(const Polynomial& p, ValueId condition, bool holds);

}  // namespace edgeconv
