// Maps that keep 8 bits for the RAM that they take (LayerSensitivity::keeps_map): a layer that the climb lifted may be needless beside what was lifted behind it.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

// The plan, which keeps to the gate, or the same with such layers back in int8: all of them, or those that the gate does not need, the most expensive first.
PrecisionPlan with_kept_maps(const SearchProblem& problem, const PrecisionPlan& plan);

}  // namespace edgeconv
