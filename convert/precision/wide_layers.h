// Layers that a search left in fp32, in 12 bits: of them 8 bits would be too few, and 12 are quicker and half as large.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

// The plan, which keeps to the gate with this loss, or the same with such layers in W12A13: all of them that gain by it, or those that gain most.
PrecisionPlan with_wide_layers(const SearchProblem& problem, const PrecisionPlan& plan, double loss);

}  // namespace edgeconv
