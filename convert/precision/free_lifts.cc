// See free_lifts.h.
#include "convert/precision/free_lifts.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr double kSmall = 0.005;     // of all weights, and of the time more, each; all of them together twice that
constexpr double kWorthwhile = 0.5;  // of the loss
constexpr double kAsGood = 1.1;      // of the loss with all of them lifted
constexpr size_t kMostLifted = 4;
// Times the bytes of the weights, or of the file, and the time: then all of it is fp32. Of features for another network times the time only.
constexpr double kNearlyAll = 1.1, kHardlyLonger = 1.25, kOfFeatures = 2;
// What nobody sees needs no lift: of the gate.
constexpr double kUnseen = 0.02;

// Layers may share weights, so that the file tells; but the weights alone do without a lowering where they suffice.
bool is_hardly_larger(const SearchProblem& problem, const PrecisionPlan& plan, const PrecisionPlan& exact) {
  return weight_bytes(problem.layers, exact) <= kNearlyAll * weight_bytes(problem.layers, plan) ||
         (problem.cost.knows_bytes() && problem.cost.file_bytes(exact) <= kNearlyAll * problem.cost.file_bytes(plan));
}

// A plan whose large layers are fp32 already, and the others with them; or features that fp32 gives about as quickly.
std::optional<PrecisionPlan> all_exact(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  PrecisionPlan exact = plan;
  problem.set_all(exact, linear::kF32);
  if (exact == plan) return std::nullopt;
  const double times = time_of(problem.layers, exact) / time_of(problem.layers, plan);
  if (times > (problem.gives_features ? kOfFeatures : kHardlyLonger)) return std::nullopt;
  if (!problem.gives_features && !is_hardly_larger(problem, plan, exact)) return std::nullopt;
  if (!problem.cost.fits(exact) || !(problem.loss(exact) <= kWorthwhile * loss)) return std::nullopt;
  return exact;
}

}  // namespace

PrecisionPlan with_free_lifts(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  if (loss <= kUnseen * problem.max_loss) return plan;
  if (const auto exact = all_exact(problem, plan, loss)) return *exact;
  const double all_time = time_of(problem.layers, plan);
  double all = 0, small = 0, time = 0;
  for (const LayerSensitivity& l : problem.layers) all += l.weights();
  std::vector<size_t> lifted;
  PrecisionPlan lifts = plan;
  // The noisiest first, as they stand.
  for (size_t i = 0; i < problem.layers.size() && lifted.size() < kMostLifted; ++i) {
    const LayerSensitivity& l = problem.layers[i];
    const double weights = l.weights(), more = std::max(0.0, time_of(l, linear::kF32) - time_of(l, problem.precision(plan, i)));
    if (weights > kSmall * all || small + weights > 2 * kSmall * all || more > kSmall * all_time ||
        time + more > 2 * kSmall * all_time || problem.precision(plan, i) == linear::kF32 || !problem.set(lifts, i, linear::kF32))
      continue;
    small += weights;
    time += more;
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
