// The way up within a budget of work and bytes: every layer is measured alone, then the steps that gain most for what they cost are
// taken as long as they fit.
#pragma once

#include <optional>

#include "convert/precision/search_problem.h"

namespace edgeconv {

// The cheapest plan found that keeps to the gate, or the most accurate one that fits the budget of the problem's cost; nothing where even
// int8 is too much.
std::optional<PrecisionPlan> fill_budget(const SearchProblem& problem);

}  // namespace edgeconv
