// What accuracy costs next to nothing: a plan that keeps to the gate may owe most of its error to layers that are small.
#pragma once

#include "convert/precision/search_problem.h"

namespace edgeconv {

// The plan, or the same with small layers in fp32 where that halves its loss or better and fits the budget. Layers count as small by work and
// weights: a first convolution over one channel, a classifier's last Linear. Where fp32 takes nearly all of the work already, all layers may
// be, and where it takes hardly longer and the file becomes hardly larger; those of a network that gives features to another one, where that takes less than twice the time. loss: of the plan.
PrecisionPlan with_free_lifts(const SearchProblem& problem, const PrecisionPlan& plan, double loss);

}  // namespace edgeconv
