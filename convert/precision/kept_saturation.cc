// See kept_saturation.h.
#include "convert/precision/kept_saturation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "convert/infer/infer.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/passes/pass.h"
#include "convert/passes/saturation.h"
#include "convert/precision/measured_outputs.h"
#include "rt/base/float_mode.h"

namespace edgeconv {

namespace {

using Sets = std::vector<std::vector<Tensor>>;

// As much as rounding to 8 bits loses: squares of what is clipped, of all squares.
constexpr double kCounts = 1e-4;
// By how much outputs may change where clipping is left out: of itself, and beside what rounding changes.
constexpr double kLeastLoss = 1e-4, kMoreLoss = 2;   // of the cosine
constexpr double kFineNoise = 37, kMoreNoise = 3;  // in dB
// What masks add to scores. A range that does not reach there still masks.
constexpr float kMasked = -1e3f;
// A few samples tell what is clipped.
constexpr size_t kSets = 3;
constexpr double kShareOfWork = 0.05;

Sets some_inputs(const Graph& g, const DimPlan& dims, const Sets& calibration) {
  if (!calibration.empty()) return {calibration.begin(), calibration.begin() + static_cast<std::ptrdiff_t>(std::min(kSets, calibration.size()))};
  Sets sets;
  double work = 0;
  while (sets.size() < kSets && work <= kShareOfWork * allowed_work(g)) {
    const SyntheticSpec spec = affordable(g, dims, {2, 24, true, 301 + sets.size(), true}, kPatience);
    sets.push_back(synthetic_inputs(g, dims, spec));
    work += graph_work(g, synthetic_sizes(g, dims, spec));
  }
  return sets;
}

struct Clipping {
  double below = 0, above = 0, all = 0;  // squares of what is clipped, and of what is left
  // What lies within a step of the range is rounded: ranges that hold a mask's -3.4e38 end at any number.
  void add(const Tensor& x, const ValueRange& range, float step) {
    const Tensor floats = x.cast(DType::kFloat);
    for (const float v : floats.as<float>()) {
      if (v <= kMasked) continue;
      const double low = std::min(v - (range.low - step), 0.0f), high = std::max(v - (range.high + step), 0.0f);
      below += low * low;
      above += high * high;
      const double kept = v - low - high;
      all += kept * kept;
    }
  }
};

double loss(const OutputError& e) { return 1 - std::min(e.cosine, e.decided); }

// Whether leaving the clipping out changes an output by more than leaving the rounding out does. Not by the cosine alone: outputs that are all too large keep it.
bool lose_more(const std::vector<OutputError>& without, const std::vector<OutputError>& with) {
  for (size_t i = 0; i < without.size(); ++i)
    if (!(loss(without[i]) <= std::max(kLeastLoss, kMoreLoss * loss(with[i]))) ||
        !(without[i].sqnr_db >= std::min(kFineNoise, with[i].sqnr_db - kMoreNoise)))
      return true;
  return false;
}

}  // namespace

SourceRounding keep_saturation(const Graph& as_quantized, Graph& graph, const DimPlan& dims, const Sets& calibration) {
  SourceRounding found;
  const ert::FloatMode float_mode;
  Graph as_is = as_quantized;
  const Sets sets = some_inputs(graph, dims, calibration);
  std::map<const Node*, Clipping> clipping;
  Sets outputs;
  const auto observe = [&](const Node& n, const std::vector<Tensor>& values) {
    if (n.kind != OpKind::kQuantizeLinear) return;
    if (const auto range = saturation_range(as_is, n)) clipping[&n].add(values[static_cast<size_t>(n.in(0))], *range, *scalar_constant(as_is, n.in(1)));
  };
  try {
    for (const auto& set : sets) outputs.push_back(MeasuredOutputs(as_is).of_model(as_is, set, {Backend::kCanonical, observe}));
  } catch (const FatalError&) {
    return found;  // inputs that the model does not take are told when it is calibrated
  }
  constexpr float kNoEnd = std::numeric_limits<float>::infinity();
  std::map<NodeId, ValueRange> kept;
  for (const auto& [n, c] : clipping) {
    ValueRange range = *saturation_range(as_is, *n);
    const auto activation = dropped_activation(as_is, *n);  // is restored
    const bool below = !(c.below <= kCounts * c.all) && !activation, above = !(c.above <= kCounts * c.all) && !(activation && activation->at);
    if (!below && !above) continue;
    if (!below && !activation) range.low = -kNoEnd;
    if (!above) range.high = kNoEnd;
    kept[id_of(as_is, *n)] = range;
  }
  const auto errors = [&](const Graph& g) {
    const MeasuredOutputs measured(g);
    Comparison c = measured.comparison();
    for (size_t i = 0; i < sets.size(); ++i) c.add(outputs[i], measured.of_model(g, sets[i], {Backend::kCanonical, {}}));
    return c.errors();
  };
  found.errors = errors(graph);
  if (kept.empty()) return found;
  for (const auto& [id, range] : kept) {
    const ValueId x = clipped(as_is, as_is.node(id).in(0), range, Origin(as_is.node(id).origin));
    as_is.node(id).inputs[0] = x;
  }
  Diagnostics again;  // all of it was said before
  as_is.sort();
  infer(as_is, again);
  run_quantized_import(as_is, again, {kDebugBuild, nullptr});
  again.check();
  std::vector<OutputError> clipping_errors = errors(as_is);
  if (!lose_more(found.errors, clipping_errors)) return found;
  found = {static_cast<int>(kept.size()), std::move(clipping_errors)};
  graph = std::move(as_is);
  return found;
}

}  // namespace edgeconv
