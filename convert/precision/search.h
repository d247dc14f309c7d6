// The search for precisions: the plan that costs least of those that were measured to keep to a gate.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/precision/search_problem.h"

namespace edgeconv {

// A plan that was measured.
struct Trial {
  PrecisionPlan plan;
  double slowdown = 1, loss = 0;
  double worst_cosine() const { return cosine_of(loss); }
};

// The gate cannot be kept within the budget.
struct Shortfall {
  Trial reached, needed;                         // the best that fits, and what the search without a budget found
  uint64_t reached_bytes = 0, needed_bytes = 0;  // where bytes are limited
  bool gate_reached = true;                      // whether the latter keeps to the gate
};

struct Choice {
  PrecisionPlan plan;
  std::optional<Shortfall> shortfall;
  std::vector<Trial> trials;  // in their order, some more than once; the last one is often the choice
};

// Searches until nothing but fp32 is trusted.
constexpr int kSearches = 10;
// The loss of a shortfall where not even int8 fits the budget: more than any.
constexpr double kNothingFits = 3;

// No plan is measured twice on the same rows. What is chosen fits the budget wherever anything does; a budget that is kept to anyhow changes nothing.
// confirms: whether a plan that keeps to the gate does so on rows, too, that it was not chosen by; if not, `loss` counts those from
// now on, and the search starts again, for which what failed on fewer rows fails. After kSearches of them everything is exact, or as exact
// as the budget allows. Empty where `loss` is believed.
Choice search(const SearchProblem& problem, const std::function<bool(const PrecisionPlan&)>& confirms = {});

// How many plans may be measured in a search for something cheaper, where one takes `work` (interp/work.h).
int affordable_trials(const Graph& g, double work);

}  // namespace edgeconv
