// The sizes that most test graphs have: a batch of sequences.
#pragma once

#include "convert/ir/dim_expr.h"

namespace edgeconv::testing {

inline const DimExpr B = DimExpr::symbol("batch"), S = DimExpr::symbol("seq");

}  // namespace edgeconv::testing
