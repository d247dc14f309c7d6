// See validation_set.h.
#include "convert/precision/validation_set.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "convert/inputs/affordable_inputs.h"
#include "convert/inputs/noisy_inputs.h"
#include "convert/inputs/streams.h"
#include "convert/precision/untaken_branches.h"

namespace edgeconv {

namespace {

bool within_maxima(const Graph& g, const DimPlan& dims, const std::vector<Tensor>& set) {
  for (size_t i = 0; i < set.size(); ++i) {
    const Shape& shape = *g.value(g.inputs[i]).shape;
    for (size_t a = 0; a < shape.size(); ++a)
      if (shape[a].is_symbol() && set[i].dims()[a] > dims.range.at(shape[a].symbol_name()).second) return false;
  }
  return true;
}

}  // namespace

ValidationSet::ValidationSet(const Graph& original, const DimPlan& dims, const std::vector<std::vector<Tensor>>& calibration,
                             const std::optional<PaddingMask>& padding)
    : outputs_(original) {
  const size_t most = dims.kept_states.empty() ? kMostSets : kMostFrames;
  for (const auto& set : calibration)
    if (within_maxima(original, dims, set) && inputs_.size() < most) inputs_.push_back(set);
  recorded_ = !inputs_.empty();
  if (!recorded_) inputs_ = comparison_inputs(original, dims);
  // Recorded states that no runtime keeps are as the user gives them.
  for (const KeptState& s : recorded_ ? dims.kept_states : states_of(original, dims)) states_[s.input] = s.output;
  // Sound and images are made like those that there are: a model that is chaotic there is so on others. The model's own states follow from the rest.
  const auto is_guessed = [&](ValueId v) {
    const auto found = dims.kinds.find(v);
    const InputKind kind = found == dims.kinds.end() ? InputKind::kFeatures : found->second.kind;
    return is_float(original.value(v).dtype) && kind != InputKind::kWaveform && kind != InputKind::kImage && kind != InputKind::kState;
  };
  knows_chaos_ = recorded_ || std::none_of(original.inputs.begin(), original.inputs.end(), is_guessed);
  if (!recorded_) outputs_ = MeasuredOutputs(original, &dims);
  BranchWatch branches(original);
  const auto watch = [&](const Node& n, const std::vector<Tensor>& values) { branches.see(n, values); };
  for (const auto& set : inputs_) {
    set_work_.push_back(graph_work(original, sizes_of(original, set)));
    work_ += set_work_.back();
    masks_.push_back(padding ? std::optional(token_mask(*padding, set)) : std::nullopt);
    chaotic_.emplace_back();
    canonical_.push_back(outputs_.of_model(original, set, {Backend::kCanonical, watch}));
    oracle_.push_back(outputs_.of_model(original, set, {Backend::kOracle, {}}));
  }
  untaken_ = branches.untaken();
  for (size_t i = 0; i < outputs_.names().size(); ++i)
    if (oracle_[0][i].dtype() == DType::kUndefined) unknown_.push_back(outputs_.names()[i]);
}

std::vector<std::vector<Tensor>> ValidationSet::results(BlobRunner& runner) const {
  std::vector<std::vector<Tensor>> all;
  for (size_t i = 0; i < inputs_.size(); ++i) all.push_back(run(runner, i, i > 0 ? &all[i - 1] : nullptr));
  return all;
}

// before: what the step before gave, where there are states.
std::vector<Tensor> ValidationSet::run(BlobRunner& runner, size_t set, const std::vector<Tensor>* before) const {
  std::vector<Tensor> inputs = inputs_[set];
  for (const auto& [input, output] : states_)
    if (before && (*before)[output].dims() == inputs[input].dims()) inputs[input] = (*before)[output];
  return outputs_.of_blob(runner, inputs);
}

Comparison ValidationSet::compare(const std::vector<std::vector<Tensor>>& reference,
                                  const std::vector<std::vector<Tensor>>& results) const {
  Comparison c = outputs_.comparison();
  for (size_t i = 0; i < inputs_.size(); ++i) c.add(reference[i], results[i], masks_[i], chaotic_[i]);
  return c;
}

Comparison ValidationSet::compare(const Tensor& blob, const std::vector<size_t>& sets) const {
  const auto runner = open_own(blob);
  Comparison c = outputs_.comparison();
  std::vector<Tensor> got;
  for (const size_t i : sets) {
    got = run(*runner, i, got.empty() ? nullptr : &got);
    c.add(canonical_[i], got, masks_[i], chaotic_[i]);
  }
  return c;
}

bool ValidationSet::leave_out_chaos(const Graph& original) {
  if (knows_chaos_) return false;
  knows_chaos_ = true;
  for (size_t i = 0; i < inputs_.size(); ++i)
    chaotic_[i] = chaotic_samples(canonical_[i], outputs_.of_model(original, noisy_inputs(inputs_[i]), {Backend::kCanonical, {}}));
  return leaves_out_chaos();
}

bool ValidationSet::leaves_out_chaos() const {
  return std::any_of(chaotic_.begin(), chaotic_.end(), [](const ChaoticSamples& c) { return count_of(c) > 0; });
}

std::vector<OutputError> ValidationSet::reference_itself() const {
  std::vector<DecidedBy> values(outputs_.decisions().size());
  for (size_t o = 0; o < values.size(); ++o) {
    values[o].batched = outputs_.decisions()[o].batched;
    values[o].scores = outputs_.decisions()[o].scores;
  }
  Comparison self(outputs_.names(), values);
  for (size_t i = 0; i < inputs_.size(); ++i) self.add(canonical_[i], canonical_[i], masks_[i], chaotic_[i]);
  return self.errors();
}

bool ValidationSet::tells_nothing() const {
  const std::vector<OutputError> outputs = reference_itself();
  return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const OutputError& e) { return e.vacuous(); });
}

bool ValidationSet::has_random_weights(const Graph& original, const DimPlan& dims) const {
  const std::vector<OutputError> outputs = reference_itself();
  const bool still = std::all_of(outputs.begin(), outputs.end(), [](const OutputError& e) { return e.evidence == Evidence::kStill; });
  return still && !outputs.empty() && std::all_of(original.inputs.begin(), original.inputs.end(), [&](ValueId v) {
    const auto kind = dims.kinds.find(v);
    return kind != dims.kinds.end() && is_signal(kind->second.kind);
  });
}

std::vector<std::string> ValidationSet::not_finite_outputs() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < outputs_.names().size(); ++i) {
    bool finite = true;
    for (const std::vector<Tensor>& outputs : oracle_) {
      if (!is_float(outputs[i].dtype())) continue;
      for (float v : outputs[i].to_float()) finite &= std::isfinite(v);
    }
    if (!finite) names.push_back(outputs_.names()[i]);
  }
  return names;
}

std::unique_ptr<BlobRunner> open_own(const Tensor& blob) {
  try {
    return std::make_unique<BlobRunner>(blob.data(), blob.bytes());
  } catch (const FatalError& e) {
    if (e.code() == ExitCode::kLimit) throw;
    throw std::logic_error("the runtime refuses the blob made from this model (" + std::string(e.what()) + ")");
  }
}

void with_made_up_inputs(bool made_up, const std::function<void()>& f) {
  try {
    f();
  } catch (const FatalError& e) {
    if (!made_up || e.code() != ExitCode::kMalformed) throw;
    throw FatalError(ExitCode::kUnsupported,
                     "the model does not take the inputs that the conversion made up to calibrate and check it: " +
                         std::string(e.what()) + "\nGive real inputs with --calib DIR or --calib FILE.npz");
  }
}

}  // namespace edgeconv
