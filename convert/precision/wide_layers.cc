// See wide_layers.h.
#include "convert/precision/wide_layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// What the loss may be with them: hardly more, or what nobody sees, of the gate. Where no layer has 8 bits, whose errors stand beside theirs, up to half of the gate; but not
// of features, to whose error another network adds its own.
constexpr double kHardlyMore = 1.1, kUnseen = 0.05, kOfGate = 0.5;
constexpr double kMuchQuicker = 0.8;  // of the time: layers that turn out slower than they are reckoned must not eat it up
// What int8 beside 12 bits may lose, of the gate: made-up pictures show less of it than real ones (a classifier of lines of text, 7 dB).
constexpr double kOfInt8 = 0.25;
// Weights of half the size are worth so much more of the time as it is reckoned: cores with products of bytes take less than that, the others no more.
constexpr double kHalfTheSize = 0.15;

// Free layers take the precision, those first that save most for their noise: the most that together lose no more than most_loss. Bisected: the plan itself must not lose more.
void lower_as_many(const SearchProblem& problem, PrecisionPlan& plan, Precision to, double most_loss) {
  const auto saved = [&](size_t i) {
    const LayerSensitivity& l = problem.layers[i];
    const Precision from = problem.precision(plan, i);
    const double smaller = from == linear::kW12A13 && to == linear::kInt8 ? kHalfTheSize * time_of(l, from) : 0;
    return time_of(l, from) + smaller - time_of(l, to);
  };
  std::vector<size_t> order;
  std::vector<double> worth(problem.layers.size());
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    if (!problem.is_free(i) || problem.is(plan, i, to) || saved(i) <= 0) continue;
    if (to == linear::kW12A13 && !is_quicker_in_12_bits(problem.layers[i])) continue;
    order.push_back(i);
    worth[i] = saved(i) * std::pow(10.0, problem.layers[i].local_sqnr_db / 10);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return worth[a] > worth[b]; });
  const PrecisionPlan before = plan;
  size_t passing = 0, most = order.size();
  for (size_t count = most; passing < most; count = passing + (most - passing + 1) / 2) {
    PrecisionPlan lower = before;
    for (size_t at = 0; at < count; ++at) problem.set(lower, order[at], to);
    if (problem.loss(lower) <= most_loss)
      plan = std::move(lower), passing = count;
    else
      most = count - 1;
  }
}

}  // namespace

bool is_much_quicker_in_12_bits(const SearchProblem& problem) {
  PrecisionPlan wide = problem.asked.plan, sixteen = wide;
  problem.set_all(sixteen, linear::kInt8A16);
  for (size_t i = 0; i < problem.layers.size(); ++i) problem.set(wide, i, problem.finest(i));
  return problem.has_wide && time_of(problem.layers, wide) <= kMuchQuicker * time_of(problem.layers, sixteen);
}

std::optional<PrecisionPlan> from_fp32(const SearchProblem& problem, const PrecisionPlan& plan) {
  if (!problem.has_wide || problem.users_gate) return std::nullopt;
  const double time = kMuchQuicker * time_of(problem.layers, plan), bytes = weight_bytes(problem.layers, plan);
  const auto is_better = [&](const PrecisionPlan& p) { return time_of(problem.layers, p) <= time && weight_bytes(problem.layers, p) <= bytes; };
  PrecisionPlan wide = plan;
  for (size_t i = 0; i < problem.layers.size(); ++i) problem.set(wide, i, problem.finest(i));
  if (!is_better(wide)) return std::nullopt;
  problem.set_all(wide, linear::kF32);
  if (!problem.passes(wide)) return std::nullopt;
  lower_as_many(problem, wide, linear::kW12A13, problem.max_loss);
  if (!is_better(wide)) return std::nullopt;
  lower_as_many(problem, wide, linear::kInt8, std::min(problem.max_loss, problem.loss(wide) + kOfInt8 * problem.max_loss));
  return wide;
}

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
