// See descent.h.
#include "convert/precision/descent.h"

#include <algorithm>

#include "convert/precision/exact_parts.h"
#include "convert/precision/wide_layers.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// Layers whose loss is measured, at the usual number of trials: those that save most. Then how many more are tried where the gate is near.
constexpr size_t kMeasuredLayers = 64, kLast = 8;

void take_down(const SearchProblem& problem, PrecisionPlan& plan, Precision from, Precision to) {
  const auto saved = [&](size_t layer) { return more_time(problem.layers[layer], to, from); };
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.layers.size(); ++i)
    if (problem.is_free(i) && problem.is(plan, i, from)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return saved(a) > saved(b); });
  order.resize(std::min({order.size(), kMeasuredLayers, static_cast<size_t>(problem.trials) * kMeasuredLayers / kMostTrials}));
  std::vector<double> loss(problem.layers.size(), 0.0);
  double least = 2;
  for (size_t i : order) {
    problem.set(plan, i, to);
    loss[i] = problem.effect_of(plan);
    problem.set(plan, i, from);
    least = std::min(least, loss[i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return (loss[a] - least) / saved(a) < (loss[b] - least) / saved(b); });
  // The most that pass together: more of them lose more.
  const auto take_first = [&](size_t count) {
    for (size_t at = 0; at < order.size(); ++at) problem.set(plan, order[at], at < count ? to : from);
  };
  size_t passing = 0, most = order.size();
  while (passing < most) {
    const size_t middle = passing + (most - passing + 1) / 2;
    take_first(middle);
    if (problem.passes(plan))
      passing = middle;
    else
      most = middle - 1;
  }
  take_first(passing);
  for (size_t at = passing; at < std::min(order.size(), passing + kLast); ++at) {
    problem.set(plan, order[at], to);
    if (loss[order[at]] > problem.max_loss || !problem.passes(plan)) problem.set(plan, order[at], from);
  }
}

}  // namespace

PrecisionPlan descend(const SearchProblem& problem) {
  PrecisionPlan plan = problem.asked.plan;
  if (problem.passes(plan)) return plan;
  for (const Precision top : {linear::kInt8A16, linear::kF32})
    for (const ExactParts parts : exact_parts(problem)) {
      set_exact(plan, parts);
      problem.set_all(plan, top);
      if (!problem.passes(plan)) continue;
      if (top == linear::kF32 && is_much_quicker_in_12_bits(problem))
        if (const auto wide = from_fp32(problem, plan)) return *wide;
      if (top == linear::kF32) {
        take_down(problem, plan, linear::kF32, linear::kInt8A16);
        if (const auto wide = from_fp32(problem, plan)) return *wide;
      }
      take_down(problem, plan, linear::kInt8A16, linear::kInt8);
      return plan;
    }
  return exact_where_it_helps(problem);
}

}  // namespace edgeconv
