// Layers that a search left in fp32, in 12 bits: of them 8 bits would be too few, and 12 are quicker and half as large.
#pragma once

#include <optional>

#include "convert/precision/search_problem.h"

namespace edgeconv {

// The plan, which keeps to the gate with this loss, or the same with such layers in W12A13: all of them that gain by it, or those that gain most.
PrecisionPlan with_wide_layers(const SearchProblem& problem, const PrecisionPlan& plan, double loss);

// Whether 12 bits take clearly less time than 16-bit activations would: of convolutions, whose rows are short. Of transformers those are as quick, and half as large.
bool is_much_quicker_in_12_bits(const SearchProblem& problem);

// Another way to the gate where 16-bit activations miss it: from fp32, with attention and tables as in plan, as many layers in W12A13 as pass, then of all as many in
// int8. Nothing where it is not clearly quicker than plan and no larger, or fp32 does not pass. It takes few trials, and so is not for gates of
// the user's, for which each layer is measured.
std::optional<PrecisionPlan> from_fp32(const SearchProblem& problem, const PrecisionPlan& plan);

}  // namespace edgeconv
