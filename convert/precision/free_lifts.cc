// See free_lifts.h.
#include "convert/precision/free_lifts.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr double kSmall = 0.005;     // of all multiplications, each; all of them together twice that
constexpr double kWorthwhile = 0.5;  // of the loss
constexpr double kAsGood = 1.1;      // of the loss with all of them lifted
constexpr size_t kMostLifted = 4;
constexpr double kNearlyAll = 1.1;  // times the work, and all of it is fp32
// What nobody sees needs no lift: of the gate.
constexpr double kUnseen = 0.02;

// A plan whose large layers are fp32 already, and the others with them.
std::optional<PrecisionPlan> all_exact(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  PrecisionPlan exact = plan;
  problem.set_all(exact, linear::kF32);
  if (exact == plan || problem.cost.slowdown(exact) > kNearlyAll * problem.cost.slowdown(plan) || !problem.cost.fits(exact) ||
      !(problem.loss(exact) <= kWorthwhile * loss))
    return std::nullopt;
  return exact;
}

}  // namespace

PrecisionPlan with_free_lifts(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  if (loss <= kUnseen * problem.max_loss) return plan;
  if (const auto exact = all_exact(problem, plan, loss)) return *exact;
  double all = 0, small = 0;
  for (const LayerSensitivity& l : problem.layers) all += l.macs();
  std::vector<size_t> lifted;
  PrecisionPlan lifts = plan;
  // The noisiest first, as they stand.
  for (size_t i = 0; i < problem.layers.size() && lifted.size() < kMostLifted; ++i) {
    const double macs = problem.layers[i].macs();
    if (macs > kSmall * all || small + macs > 2 * kSmall * all || problem.precision(plan, i) == linear::kF32 ||
        !problem.set(lifts, i, linear::kF32))
      continue;
    small += macs;
    lifted.push_back(i);
  }
  if (lifted.empty() || !problem.cost.fits(lifts)) return plan;
  const double least = problem.loss(lifts);
  if (!(least <= kWorthwhile * loss)) return plan;
  // Those that do nothing go back, the least noisy first.
  for (size_t c = lifted.size(); lifted.size() > 1 && c-- > 0;) {
    PrecisionPlan fewer = lifts;
    fewer.set(problem.layers[lifted[c]].node, plan.of(problem.layers[lifted[c]].node));
    if (fewer == plan || problem.loss(fewer) > kAsGood * least) continue;
    lifts = fewer;
  }
  return lifts;
}

}  // namespace edgeconv
