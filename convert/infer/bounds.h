// What is known about symbolic integers for all sizes that the model accepts. Dims are at least 1; some need more, because a
// convolution without padding has no window otherwise (Graph::least_dims).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "convert/ir/dim_expr.h"

namespace edgeconv {

using LeastDims = std::map<std::string, int64_t>;

// Smallest value of an expression over those sizes; nullopt when it is not bounded from below so simply.
std::optional<int64_t> lower_bound(const DimExpr& e, const LeastDims& least = {});
// a == b, a < b for all of them; nullopt when it depends on the dims.
std::optional<bool> always_equal(const DimExpr& a, const DimExpr& b, const LeastDims& least = {});
std::optional<bool> always_less(const DimExpr& a, const DimExpr& b, const LeastDims& least = {});

// A bound of a slice as a position, whatever its sign is: size + bound where it is negative, bound otherwise. It may lie outside of the axis.
// Exact for magnitudes below 2^30, as those of all sizes are.
DimExpr counted_from_start(const DimExpr& bound, const DimExpr& size);

// Notes that e, the size of an axis, is at least 1: its dim, when it depends on one and grows with it, has a smallest value.
void note_positive(const DimExpr& e, LeastDims& least);

}  // namespace edgeconv
