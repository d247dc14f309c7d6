// See wide_layers.h.
#include "convert/precision/wide_layers.h"

#include <algorithm>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// What the loss may be with them: hardly more, or what nobody sees, of the gate. Where no layer has 8 bits, whose errors stand beside theirs, up to half of the gate; but not
// of features, to whose error another network adds its own.
constexpr double kHardlyMore = 1.1, kUnseen = 0.05, kOfGate = 0.5;

}  // namespace

PrecisionPlan with_wide_layers(const SearchProblem& problem, const PrecisionPlan& plan, double loss) {
  std::vector<size_t> layers;
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    const LayerSensitivity& l = problem.layers[i];
    if (problem.is_free(i) && problem.precision(plan, i) == linear::kF32 && is_quicker_in_12_bits(l)) layers.push_back(i);
  }
  const auto gain = [&](size_t i) { return time_of(problem.layers[i], linear::kF32) - time_of(problem.layers[i], linear::kW12A13); };
  std::stable_sort(layers.begin(), layers.end(), [&](size_t a, size_t b) { return gain(a) > gain(b); });
  const bool alone = plan.count(linear::kInt8) + plan.count(linear::kInt8A16) == 0;
  const double share = alone && !problem.gives_features ? kOfGate : kUnseen;
  const double most = std::min(problem.max_loss, std::max(kHardlyMore * loss, share * problem.max_loss));
  for (; !layers.empty(); layers.resize(layers.size() / 2)) {
    PrecisionPlan wide = plan;
    for (const size_t i : layers) problem.set(wide, i, linear::kW12A13);
    if (problem.loss(wide) <= most) return wide;
  }
  return plan;
}

}  // namespace edgeconv
