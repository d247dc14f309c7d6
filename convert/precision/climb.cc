// Steps up that double, then a search for single layers that suffice instead of the last step.
#include "convert/precision/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "convert/precision/exact_parts.h"
#include "convert/precision/wide_layers.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr size_t kCandidates = 8;  // of one step of a search for something cheaper

// From one precision to the next one up.
struct Change {
  Precision before, next;
};

double noise_per_time(const LayerSensitivity& l, Change step) {
  return std::pow(10.0, l.local_sqnr_db / -10) / more_time(l, step.before, step.next);
}

constexpr Change kTo16Bits{linear::kInt8, linear::kInt8A16}, kToFp32{linear::kInt8A16, linear::kF32};

struct Lifted {
  PrecisionPlan plan;
  size_t begin, end;  // layers of the last step
};

// Each step lifts twice as many of the noisiest layers as the one before, so that even large models need few evaluations. Gives up
// where the work is no longer less than most_work.
std::optional<Lifted> lift(const SearchProblem& problem, PrecisionPlan plan, Change step, double most_work) {
  const size_t count = problem.layers.size();
  problem.set_all(plan, step.before);
  size_t begin = 0;
  for (size_t layers = std::max<size_t>(1, count / 8); begin < count; layers *= 2) {
    const size_t end = std::min(count, begin + layers);
    bool lifted = false;
    for (size_t i = begin; i < end; ++i) lifted |= problem.set(plan, i, step.next);
    if (problem.cost.slowdown(plan) >= most_work) return std::nullopt;
    if (lifted && problem.passes(plan)) return Lifted{plan, begin, end};
    begin = end;
  }
  return std::nullopt;
}

// The last step passes; adds up single layers instead as long as they cost less. Of the candidates with the most noise per
// multiplication each step lifts the one that helps the output most: what noise does to an output depends on where it arises.
std::optional<PrecisionPlan> find_cheaper(const SearchProblem& problem, const Lifted& known, Change step) {
  PrecisionPlan plan = known.plan;
  const auto time_of_step = [&](size_t i) { return more_time(problem.layers[i], step.before, step.next); };
  double budget = 0;
  std::vector<size_t> candidates;
  for (size_t i = known.begin; i < problem.layers.size(); ++i) {
    if (!problem.is_free(i)) continue;
    if (i < known.end) budget += time_of_step(i);
    candidates.push_back(i);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](size_t a, size_t b) {
    return noise_per_time(problem.layers[a], step) > noise_per_time(problem.layers[b], step);
  });
  for (size_t i = known.begin; i < known.end; ++i) problem.set(plan, i, step.before);
  for (int trials = 0; trials < problem.trials && !candidates.empty();) {
    size_t best = candidates.size();
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < candidates.size() && c < kCandidates; ++c) {
      if (time_of_step(candidates[c]) >= budget) continue;
      problem.set(plan, candidates[c], step.next);
      const double loss = problem.loss(plan);
      if (loss <= problem.max_loss) return plan;
      problem.set(plan, candidates[c], step.before);
      ++trials;
      if (loss < least) least = loss, best = c;
    }
    if (best == candidates.size()) break;
    problem.set(plan, candidates[best], step.next);
    budget -= time_of_step(candidates[best]);
    candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(best));
  }
  return std::nullopt;
}

// Takes back what the gate does not need, the most expensive first.
void drop_needless(const SearchProblem& problem, PrecisionPlan& plan, Change step) {
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.layers.size(); ++i)
    if (problem.is_free(i) && problem.is(plan, i, step.next)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return more_time(problem.layers[a], step.before, step.next) > more_time(problem.layers[b], step.before, step.next);
  });
  for (size_t t = 0; t < order.size() && t < static_cast<size_t>(problem.trials); ++t) {
    problem.set(plan, order[t], step.before);
    if (!problem.passes(plan)) problem.set(plan, order[t], step.next);
  }
}

// Layers [begin, end) of those that `step` lifted, back down if the gate does not need them.
bool drop_together(const SearchProblem& problem, PrecisionPlan& plan, size_t begin, size_t end, Change step) {
  PrecisionPlan without = plan;
  bool any = false;
  for (size_t i = begin; i < end; ++i) {
    if (problem.is_free(i) && problem.is(plan, i, step.next)) any |= problem.set(without, i, step.before);
  }
  if (!any || !problem.passes(without)) return false;
  plan = std::move(without);
  return true;
}

// What the first steps lifted did not suffice, and may be needless beside what did: all of it, or else some steps. Few evaluations, as `lift`.
void drop_first_steps(const SearchProblem& problem, PrecisionPlan& plan, size_t begin, Change step) {
  if (begin == 0 || drop_together(problem, plan, 0, begin, step)) return;
  size_t layers = std::max<size_t>(1, problem.layers.size() / 8);
  for (size_t first = 0; first < begin; first += layers / 2) {
    drop_together(problem, plan, first, std::min(begin, first + layers), step);
    layers *= 2;
  }
}

PrecisionPlan make_cheaper(const SearchProblem& problem, const Lifted& lifted, Change step) {
  if (auto cheaper = find_cheaper(problem, lifted, step)) {
    drop_first_steps(problem, *cheaper, lifted.begin, step);
    return *cheaper;
  }
  PrecisionPlan plan = lifted.plan;
  drop_needless(problem, plan, step);
  return plan;
}

std::optional<PrecisionPlan> climb_to_16_bits(const SearchProblem& problem) {
  PrecisionPlan plan = problem.asked.plan;
  if (problem.passes(plan)) return plan;
  for (const ExactParts parts : exact_parts(problem)) {
    set_exact(plan, parts);
    // Behind exact attention or tables only what passes at the top is looked at further: then int8 may do again.
    if (parts.attention || parts.tables != TableBits::k8) {
      problem.set_all(plan, linear::kInt8A16);
      if (!problem.passes(plan)) continue;
      problem.set_all(plan, linear::kInt8);
      if (problem.passes(plan)) return plan;
    }
    if (const auto lifted = lift(problem, plan, kTo16Bits, std::numeric_limits<double>::infinity()))
      return make_cheaper(problem, *lifted, kTo16Bits);
  }
  return std::nullopt;
}

// Weights of 8 bits are at fault, perhaps with attention and tables: whatever leaves the least work.
std::optional<PrecisionPlan> climb_to_fp32(const SearchProblem& problem) {
  double least = std::numeric_limits<double>::infinity();
  std::optional<Lifted> best;
  for (const ExactParts parts : exact_parts(problem)) {
    PrecisionPlan plan = problem.asked.plan;
    set_exact(plan, parts);
    if (auto lifted = lift(problem, plan, kToFp32, least)) {
      least = problem.cost.slowdown(lifted->plan);
      best = std::move(lifted);
    }
  }
  if (!best) return std::nullopt;
  if (auto plan = from_fp32(problem, best->plan)) return *plan;
  PrecisionPlan plan = make_cheaper(problem, *best, kToFp32);
  drop_needless(problem, plan, kTo16Bits);
  return plan;
}

}  // namespace

PrecisionPlan climb(const SearchProblem& problem) {
  if (const auto plan = climb_to_16_bits(problem)) return *plan;
  if (const auto plan = climb_to_fp32(problem)) return *plan;
  return exact_where_it_helps(problem);
}

}  // namespace edgeconv
