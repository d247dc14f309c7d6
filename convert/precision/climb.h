// The way up from int8 to a gate, led by the layers' sensitivities: few trials, for the gate that every conversion has.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

// Lifts the noisiest layers until the gate is kept to, then looks for something cheaper. Attention and tables become exact where Linears of
// 16-bit activations do not suffice without it: that costs less than Linears in fp32. Where nothing reaches the gate Linears end at
// the top, and attention and tables are exact only if that helps.
PrecisionPlan climb(const SearchProblem& problem);

}  // namespace edgeconv
