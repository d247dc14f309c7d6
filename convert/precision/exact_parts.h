// Attention and tables, the parts of a model that have one precision in the whole of it and no layers of their own.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

struct ExactParts {
  bool attention, tables;
};

// By cost: attention in fp32 takes a little time, tables four times the bytes.
constexpr ExactParts kExactParts[] = {{false, false}, {true, false}, {false, true}, {true, true}};

void set_exact(PrecisionPlan& plan, ExactParts parts);

// For a gate that nothing reaches: all layers in fp32, and exact parts only where they help.
PrecisionPlan exact_where_it_helps(const SearchProblem& problem);

}  // namespace edgeconv
