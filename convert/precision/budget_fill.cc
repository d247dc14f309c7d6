// Losses of single layers add up about, so that the order of the steps is known after one measurement of each.
#include "convert/precision/budget_fill.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "convert/precision/exact_parts.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr size_t kMeasured = 64;       // layers, at the usual number of trials
constexpr double kLoss16 = 0.01;       // of the loss in int8: of layers that are not measured
constexpr double kF32Bytes = 3;        // more for each weight than in int8
constexpr double kW12Bytes = 1;        // the same of 12 bits
constexpr double kLeastBudget = 1e-9;  // of work: --max-slowdown 1

double noise(const LayerSensitivity& l) { return std::pow(10.0, l.local_sqnr_db / -10); }

// Of each layer alone.
struct LayerLoss {
  double int8 = 0, w8a16 = 0;
};

struct Step {
  size_t layer;
  Precision from, to;
  double gain, cost;
};

// What each layer alone takes away from a model in which all else is exact.
std::vector<LayerLoss> measure(const SearchProblem& problem) {
  PrecisionPlan plan = problem.asked.plan;
  set_exact(plan, kAllExact);
  problem.set_all(plan, linear::kF32);
  const double exact = problem.loss(plan);
  const size_t most = std::max<size_t>(1, static_cast<size_t>(problem.trials) * kMeasured / kMostTrials);
  std::vector<LayerLoss> losses(problem.layers.size());
  size_t measured = 0;
  double all_losses = 0, all_noises = 0;
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    if (!problem.is_free(i)) continue;
    if (measured++ < most) {
      for (const auto& [precision, loss] :
           {std::pair(linear::kInt8A16, &losses[i].w8a16), std::pair(linear::kInt8, &losses[i].int8)}) {
        problem.set(plan, i, precision);
        *loss = std::max(0.0, problem.loss(plan) - exact);
      }
      problem.set(plan, i, linear::kF32);
      all_losses += losses[i].int8, all_noises += noise(problem.layers[i]);
    } else {
      losses[i].int8 = all_noises > 0 ? noise(problem.layers[i]) * all_losses / all_noises : 0;
      losses[i].w8a16 = kLoss16 * losses[i].int8;
    }
  }
  return losses;
}

// All of them, those that gain most for their cost first. A step from int8 to fp32 comes before its first half where the second half gains more.
std::vector<Step> steps_of(const SearchProblem& problem, const std::vector<LayerLoss>& losses) {
  const Budget& budget = problem.cost.budget();
  double all = 0;
  for (const LayerSensitivity& l : problem.layers) all += l.macs();
  const double most_work = budget.slowdown > 0 ? std::max(kLeastBudget, budget.slowdown - 1) : kF32Work - 1;
  const auto cost = [&](size_t i, Precision from, Precision to) {
    const double more_bytes = to == linear::kF32 ? kF32Bytes : to == linear::kW12A13 ? kW12Bytes : 0;
    const double bytes = budget.bytes ? more_bytes * problem.layers[i].weights() / static_cast<double>(budget.bytes) : 0;
    return (work_of(to) - work_of(from)) * problem.layers[i].macs() / all / most_work + bytes;
  };
  std::vector<Step> s;
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    if (!problem.is_free(i)) continue;
    const LayerLoss& loss = losses[i];
    const Precision finest = problem.finest(i);
    s.push_back({i, linear::kInt8, linear::kInt8A16, loss.int8 - loss.w8a16, cost(i, linear::kInt8, linear::kInt8A16)});
    s.push_back({i, linear::kInt8A16, finest, loss.w8a16, cost(i, linear::kInt8A16, finest)});
    s.push_back({i, linear::kInt8, finest, loss.int8, cost(i, linear::kInt8, finest)});
  }
  std::erase_if(s, [](const Step& step) { return !(step.gain > 0); });
  std::stable_sort(s.begin(), s.end(), [](const Step& a, const Step& b) { return a.gain * b.cost > b.gain * a.cost; });
  return s;
}

// Takes every step that fits; what does not is passed over for what comes behind it. Returns those taken.
std::vector<Step> take_what_fits(const SearchProblem& problem, const std::vector<Step>& steps, PrecisionPlan& plan) {
  std::vector<Step> taken;
  for (const Step& step : steps) {
    if (problem.precision(plan, step.layer) != step.from) continue;
    problem.set(plan, step.layer, step.to);
    if (problem.cost.fits(plan))
      taken.push_back(step);
    else
      problem.set(plan, step.layer, step.from);
  }
  return taken;
}

// All steps taken keep to the gate: as few of the first ones as do, too.
PrecisionPlan keep_least(const SearchProblem& problem, const PrecisionPlan& none, const std::vector<Step>& taken) {
  const auto first = [&](size_t count) {
    PrecisionPlan plan = none;
    for (size_t i = 0; i < count; ++i) problem.set(plan, taken[i].layer, taken[i].to);
    return plan;
  };
  size_t least = 0, enough = taken.size();
  while (least < enough) {
    const size_t middle = least + (enough - least) / 2;
    if (problem.passes(first(middle)))
      enough = middle;
    else
      least = middle + 1;
  }
  const PrecisionPlan plan = first(enough);
  problem.loss(plan);  // the last trial is the one that is taken
  return plan;
}

}  // namespace

std::optional<PrecisionPlan> fill_budget(const SearchProblem& problem) {
  const std::vector<Step> order = steps_of(problem, measure(problem));
  std::optional<PrecisionPlan> best;
  double least = 0;
  for (const ExactParts parts : exact_parts(problem)) {
    PrecisionPlan none = problem.asked.plan;
    set_exact(none, parts);
    if (!problem.cost.fits(none)) continue;
    PrecisionPlan plan = none;
    const std::vector<Step> taken = take_what_fits(problem, order, plan);
    const double loss = problem.loss(plan);
    if (loss <= problem.max_loss) return keep_least(problem, none, taken);
    if (!best || loss < least) best = plan, least = loss;
  }
  return best;
}

}  // namespace edgeconv
