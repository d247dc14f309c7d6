// See free_lifts.h.
#include "convert/precision/free_lifts.h"

#include <algorithm>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr double kSmall = 0.005;     // of all multiplications, each; all of them together twice that
constexpr double kWorthwhile = 0.5;  // of the loss
constexpr double kAsGood = 1.1;      // of the loss with all of them lifted
constexpr size_t kMostLifted = 4;
// What nobody sees needs no lift: of the gate.
constexpr double kUnseen = 0.02;

}  // namespace

PrecisionPlan with_free_lifts(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  if (loss <= kUnseen * problem.max_loss) return plan;
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
