// See kept_maps.h.
#include "convert/precision/kept_maps.h"

#include <algorithm>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

PrecisionPlan with_kept_maps(const SearchProblem& problem, const PrecisionPlan& plan) {
  std::vector<size_t> lifted;
  PrecisionPlan kept = plan;
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    if (!problem.layers[i].keeps_map || !problem.is_free(i) || problem.precision(plan, i) == linear::kInt8) continue;
    lifted.push_back(i);
    problem.set(kept, i, linear::kInt8);
  }
  if (lifted.empty() || problem.passes(kept)) return kept;
  if (lifted.size() == 1) return plan;
  std::stable_sort(lifted.begin(), lifted.end(), [&](size_t a, size_t b) {
    return time_of(problem.layers[a], problem.precision(plan, a)) > time_of(problem.layers[b], problem.precision(plan, b));
  });
  kept = plan;
  for (size_t t = 0; t < lifted.size() && t < static_cast<size_t>(problem.trials); ++t) {
    problem.set(kept, lifted[t], linear::kInt8);
    if (!problem.passes(kept)) problem.set(kept, lifted[t], problem.precision(plan, lifted[t]));
  }
  return kept;
}

}  // namespace edgeconv
