// Which strategy is used when, and what is remembered between them.
#include "convert/precision/search.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "convert/interp/work.h"
#include "convert/precision/budget_fill.h"
#include "convert/precision/climb.h"
#include "convert/precision/descent.h"
#include "convert/precision/exact_parts.h"
#include "convert/precision/free_lifts.h"
#include "convert/precision/kept_maps.h"
#include "convert/precision/wide_layers.h"

namespace edgeconv {

namespace {

// Enough for all trials of a BERT, and of models that use their weights in every layer.
constexpr double kTrialShare = 4;
constexpr double kUnreachable = -1;  // a loss

// Measures each plan once, and lists what a strategy asks for.
class Trials {
 public:
  explicit Trials(const SearchProblem& problem) : problem_(problem) {}

  double loss(const PrecisionPlan& plan) {
    const auto known = losses_.find(plan);
    return known != losses_.end() ? known->second : losses_[plan] = problem_.loss(plan);
  }
  double effect(const PrecisionPlan& plan) {
    const auto known = effects_.find(plan);
    return known != effects_.end() ? known->second : effects_[plan] = problem_.effect(plan);
  }
  Trial trial(const PrecisionPlan& plan) { return {plan, problem_.cost.slowdown(plan), loss(plan)}; }
  double listed(const PrecisionPlan& plan) {
    list_.push_back(trial(plan));
    return list_.back().loss;
  }
  std::vector<Trial> take_list() { return std::exchange(list_, {}); }
  // On more rows only what failed is certain to do so again.
  void forget_what_passed() {
    std::erase_if(losses_, [&](const auto& entry) { return entry.second <= problem_.max_loss; });
  }

 private:
  const SearchProblem& problem_;
  std::unordered_map<PrecisionPlan, double> losses_, effects_;
  std::vector<Trial> list_;
};

Choice search_once(const SearchProblem& problem, Trials& trials) {
  Choice choice{problem.measured ? descend(problem) : climb(problem), {}, {}};
  if (const double loss = trials.loss(choice.plan); loss <= problem.max_loss) {
    if (!problem.measured) choice.plan = with_free_lifts(problem, choice.plan, loss);
    choice.plan = with_kept_maps(problem, choice.plan);
    if (problem.has_wide) choice.plan = with_wide_layers(problem, choice.plan, trials.loss(choice.plan));
  }
  if (!problem.cost.fits(choice.plan)) {
    Shortfall s;
    s.needed = trials.trial(choice.plan);
    s.needed_bytes = problem.cost.bytes(choice.plan);
    s.gate_reached = s.needed.loss <= problem.max_loss;
    if (const auto plan = fill_budget(problem)) {
      choice.plan = *plan;
      s.reached = trials.trial(*plan);
    } else {
      choice.plan = problem.asked.plan;
      s.reached = {choice.plan, problem.cost.slowdown(choice.plan), kNothingFits};
    }
    if (s.reached.loss > problem.max_loss) {
      s.reached_bytes = problem.cost.bytes(choice.plan);
      choice.shortfall = s;
    }
  }
  choice.trials = trials.take_list();
  return choice;
}

}  // namespace

Choice search(const SearchProblem& given, const std::function<bool(const PrecisionPlan&)>& confirms) {
  Trials trials(given);
  SearchProblem problem = given;
  problem.loss = [&](const PrecisionPlan& plan) { return trials.listed(plan); };
  if (given.effect) problem.effect = [&](const PrecisionPlan& plan) { return trials.effect(plan); };
  if (!confirms) return search_once(problem, trials);

  Choice choice;
  for (int round = 0; round < kSearches; ++round) {
    choice = search_once(problem, trials);
    // What misses the gate needs no confirmation.
    if (choice.shortfall || trials.loss(choice.plan) > given.max_loss || confirms(choice.plan)) return choice;
    trials.forget_what_passed();
  }
  // Whatever passed did so by luck, and is no reason that a report should give.
  std::erase_if(choice.trials, [&](const Trial& t) { return t.loss <= given.max_loss; });
  choice.plan = given.asked.plan;
  problem.set_all(choice.plan, ert::params::linear::kF32);
  set_exact(choice.plan, kAllExact);
  if (problem.cost.fits(choice.plan)) return choice;
  problem.max_loss = kUnreachable;
  Choice within = search_once(problem, trials);
  return {within.plan, within.shortfall, choice.trials};
}

int affordable_trials(const Graph& g, double work) {
  return static_cast<int>(std::min<double>(kMostTrials, kTrialShare * allowed_work(g) / std::max(work, 1.0)));
}

}  // namespace edgeconv
