// Attention and tables, the parts of a model that have one precision in the whole of it and no layers of their own.
#pragma once

#include <vector>

#include "convert/precision/search_problem.h"

namespace edgeconv {

enum class TableBits { k8, k16, k32 };

struct ExactParts {
  bool attention;
  TableBits tables;
};
constexpr ExactParts kAllExact = {true, TableBits::k32};

// By cost: attention in fp32 takes a little time, tables of 16 bits twice the bytes. They lose next to nothing: fp32 comes last.
constexpr ExactParts kExactParts[] = {
    {false, TableBits::k8}, {true, TableBits::k8}, {false, TableBits::k16}, {true, TableBits::k16}, kAllExact};

// Those of them that make a difference to the model: others would give the same blob again.
std::vector<ExactParts> exact_parts(const SearchProblem& problem);

void set_exact(PrecisionPlan& plan, ExactParts parts);

// For a gate that nothing reaches: all layers in fp32, and exact parts only where they help.
PrecisionPlan exact_where_it_helps(const SearchProblem& problem);

}  // namespace edgeconv
