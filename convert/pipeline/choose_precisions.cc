// The middle steps: what is known of layers and outputs, how precise each layer is, and what that does to the outputs.
#include <fmt/format.h>

#include <algorithm>

#include "convert/inputs/affordable_inputs.h"
#include "convert/inputs/inputs_text.h"
#include "convert/interp/memory_limits.h"
#include "convert/ir/input_reach.h"
#include "convert/measure/accumulated_error.h"
#include "convert/pipeline/conversion.h"
#include "convert/precision/candidate_search.h"
#include "convert/precision/chain.h"
#include "convert/precision/unmeasured_layers.h"
#include "convert/quantize/layer_weights.h"
#include "convert/quantize/smoothing.h"

namespace edgeconv {
namespace {

std::vector<SetShapes> shapes_of(const Graph& g, const std::vector<std::vector<Tensor>>& sets) {
  std::vector<SetShapes> all;
  for (const auto& set : sets) {
    SetShapes shapes;
    for (size_t i = 0; i < set.size(); ++i) shapes.inputs.emplace_back(g.value(g.inputs[i]).name, set[i].dims());
    auto same = std::find_if(all.begin(), all.end(), [&](const SetShapes& s) { return s.inputs == shapes.inputs; });
    if (same == all.end()) same = all.insert(all.end(), std::move(shapes));
    ++same->sets;
  }
  return all;
}

bool has_node(const Graph& g, OpKind kind) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const Node& n) { return !n.dead && n.kind == kind; });
}

}  // namespace

void Conversion::calibrate() {
  if (!quantizes()) return;
  stage("calibrating", 0.2);
  const auto sets = o_.calibration.empty() ? calibration_inputs(g_, dims_) : o_.calibration;
  for (const auto& set : sets) check_interpreter_limits(g_, set);
  const double lhs_steps = o_.precision.mode == PrecisionMode::kW8A16 ? kInt16Steps : kInt8Steps;
  with_made_up_inputs(o_.calibration.empty(), [&] {
    QuantizedLayers layers = quantize_layers(g_, sets, padding_, lhs_steps, weights_);
    smooth_ = std::move(layers.smooth);
    stage("measuring layers", 0.4);
    layers_ = measure_sensitivity(g_, layers.samples, smooth_, weights_);
  });
  model_.drop_pages();
}

void Conversion::run_references() {
  stage("running the fp32 reference", 0.5);
  with_made_up_inputs(o_.calibration.empty(), [&] { validation_.emplace(model_.graph, dims_, o_.calibration, padding_); });
  model_.drop_pages();
  const bool recorded = validation_->recorded();
  const size_t sets = validation_->inputs().size(), frames = validation_->has_states() ? sets : 0;
  r_.error_inputs = !recorded                      ? made_up_text(model_.graph, dims_, sets)
                    : o_.calibration_files.empty() ? recorded_text({}, frames)
                                                   : recorded_text({o_.calibration_files}, frames);
  r_.untaken = validation_->untaken_branches();
  for (const ValueId v : model_.graph.outputs)
    if (!reads_an_input(model_.graph, v)) r_.still_outputs.insert(model_.graph.value(v).name);
  r_.not_compared = validation_->unknown_outputs();
  request_ = o_.precision;
  if (r_.not_compared.empty() && validation_->tells_nothing() && o_.precision.mode == PrecisionMode::kAuto && quantizes()) check_nothing();
  if (r_.not_compared.empty()) return;
  adapt_to_custom_operators(model_.graph, r_.not_compared, o_.precision, d_);
  request_ = o_.precision;
  o_.golden = 0;
  if (o_.precision.mode != PrecisionMode::kFp32) add_unmeasured_layers(g_, layers_);
}

// What no inputs can check.
void Conversion::check_nothing() {
  if (validation_->has_random_weights(model_.graph, dims_)) {
    d_.warn("no output depends on the inputs by more than rounding, as with random weights: how accurate int8 is cannot be checked");
    return;
  }
  request_.mode = PrecisionMode::kW8A16;
  d_.warn(fmt::format("{}, so int8 cannot be checked: layers are w8a16; --precision int8 asks for it",
                      validation_->leaves_out_chaos() ? "the fp32 model is chaotic on all that was made up for it" : "no output moves with the inputs"));
}

Conversion::Searched Conversion::search(const std::vector<LayerSensitivity>& layers) {
  const PlanCost cost(layers, budget_, [&](const PrecisionPlan& plan) { return candidates_->bytes(plan, o_.compress); });
  SearchProblem problem{layers, asked_plan(request_, layers), cost, {}, loss_of(request_.target_cosine)};
  Searched s;
  s.freed.resize(layers.size());
  if (o_.precision.mode == PrecisionMode::kAuto && budget_.bytes == 0) {
    PrecisionPlan plan = std::move(problem.asked.plan);
    problem.asked = asked_plan(o_.precision, layers);  // whose layers are the user's, where the others are not checked, too
    problem.asked.plan = std::move(plan);
    s.freed = set_free_layers(layers, problem.asked, o_.target.dtype == ert::params::kPackedN2K16 ? 0 : kFewOfAny);
  }
  problem.gives_features = gives_features(model_.graph, dims_);
  problem.has_attention = has_node(g_, OpKind::kAttention);
  problem.has_tables = has_node(g_, OpKind::kEmbedding);
  // Spectra of sound have parts far below 12 bits of the loudest, which logarithms behind them show on music, and made-up sound does not: basic-pitch fell to .998.
  const bool sound = std::any_of(dims_.kinds.begin(), dims_.kinds.end(), [](const auto& k) { return k.second.kind == InputKind::kWaveform; });
  problem.has_wide = o_.target.dtype != ert::params::kPackedN2K16 && !sound;
  problem.users_gate = problem.measured = o_.gates.max_loss > 0;  // a gate of the user's is worth more trials
  problem.trials = affordable_trials(model_.graph, validation_->work());
  s.choice = {problem.asked.plan, {}, {}};
  if (request_.mode == PrecisionMode::kAuto && !layers.empty())
    s.choice = search_candidates(problem, model_, dims_, padding_, *validation_, *candidates_);
  s.keeps_gate = !s.choice.shortfall && std::any_of(s.choice.trials.begin(), s.choice.trials.end(), [&](const Trial& t) {
    return t.plan == s.choice.plan && t.loss <= problem.max_loss;
  });
  s.time = time_of(layers, s.choice.plan);
  s.bytes = cost.bytes(s.choice.plan);
  if (quantizes()) s.slowdown = cost.slowdown(s.choice.plan);
  return s;
}

// Whether another search is worth its time: where maps are what makes the plan quick, rows were slower in every network that was tried (of a detector of text, two
// of objects and a classifier of images, by 0.5 to 4 %).
bool Conversion::can_be_quicker(const Searched& over_maps, const std::vector<LayerSensitivity>& rows) const {
  PrecisionPlan plan = over_maps.choice.plan;
  for (const LayerSensitivity& l : rows)
    if (l.depthwise) plan.set(l.node, {ert::params::linear::kF32, l.smoothed});
  return over_maps.time > time_of(rows, int8_plan(g_)) && over_maps.time >= time_of(rows, plan);
}

void Conversion::choose_precisions() {
  stage("choosing precisions", 0.6);
  candidates_.emplace(g_, options_, *validation_, d_);
  count_rows(g_, dims_, layers_);
  if (o_.gates.max_loss <= 0 && reads_features(model_.graph, dims_)) request_.target_cosine = cosine_of(kChainLoss);
  Searched s = search(layers_);
  // Maps are quicker while their layers are int8. Where they do not keep the gate so, int8 over rows may, whose ranges are those of a few outputs.
  if (s.choice.plan.maps && request_.mode == PrecisionMode::kAuto) {
    const std::vector<LayerSensitivity> rows = without_maps(layers_);
    if (!s.keeps_gate || can_be_quicker(s, rows)) {
      Searched without = search(rows);
      if (without.keeps_gate > s.keeps_gate || (without.keeps_gate == s.keeps_gate && without.time < s.time)) {
        s = std::move(without);
        layers_ = rows;
      }
    }
  }
  if (request_.mode == PrecisionMode::kAuto && validation_->leaves_out_chaos() && validation_->tells_nothing()) {
    check_nothing();
    s = search(layers_);
  }
  chosen_bytes_ = s.bytes;
  r_.slowdown = s.slowdown;
  r_.plan = std::move(s.choice.plan);
  r_.shortfall = std::move(s.choice.shortfall);
  r_.trials = std::move(s.choice.trials);
  r_.layers.clear();
  for (size_t i = 0; i < layers_.size(); ++i) r_.layers.push_back({layers_[i], s.freed[i] != 0});
  r_.request = request_;
  r_.gives_features = gives_features(model_.graph, dims_);
}

void Conversion::measure_outputs() {
  stage("measuring the blob", 0.85);
  const auto& inputs = validation_->inputs();
  r_.measured_on = {validation_->recorded(), inputs.size(), validation_->has_states(), inputs_sha256(inputs), "", 0, false};
  r_.cost.validation = shapes_of(model_.graph, inputs);
  if (padding_) {
    r_.measured_on.mask = model_.graph.value(model_.graph.inputs[padding_->input]).name;
    r_.measured_on.padding = padding_->padding;
  }
  with_made_up_inputs(o_.calibration.empty(), [&] {
    const Candidate& c = candidates_->of(r_.plan);
    r_.errors = validation_->compare_with_oracle(c.results).errors();
    if (worst_cosine(r_.errors) < kWarnCosine && validation_->leave_out_chaos(model_.graph)) {
      candidates_->measure_again();
      r_.errors = validation_->compare_with_oracle(c.results).errors();
    }
    r_.measured_on.chaotic = validation_->leaves_out_chaos();
    const auto errors = accumulated_errors(g_, *open_own(c.blob), some_of(inputs), padding_, [&] { model_.drop_pages(); });
    for (LayerReport& l : r_.layers)
      if (const auto e = errors.find(l.name); e != errors.end() && g_.node(l.node).kind == OpKind::kLinear)
        l.accumulated_sqnr_db = e->second.sqnr_db;
  });
  model_.drop_pages();
}

}  // namespace edgeconv
