// The way down from a top that keeps to a gate, led by what each layer was measured to lose: more trials than a climb, for a gate that the
// user set.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

// Lifts everything as far as needed, measures what each layer alone loses one step lower, and takes the layers down in the order of
// least loss per multiplication saved. Where nothing reaches the gate: exact_where_it_helps.
PrecisionPlan descend(const SearchProblem& problem);

}  // namespace edgeconv
