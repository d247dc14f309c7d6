// The conversion: reading, passes, calibration, precision plan, program, blob, comparison. More than 300 lines, because the whole way is
// read here from top to bottom; what a step does is in the folder that it calls.
#include "convert/pipeline/convert.h"
#include "convert/program/row_bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "convert/pipeline/text.h"
#include "convert/precision/candidate_search.h"
#include "convert/precision/chain.h"
#include "convert/precision/unmeasured_layers.h"
#include "convert/blob/blob.h"
#include "convert/result/certificate.h"
#include "convert/blob/compress.h"
#include "convert/blob/golden.h"
#include "convert/lower/build_program.h"
#include "convert/result/gates.h"
#include "convert/passes/pass.h"
#include "convert/ir/axis.h"
#include "convert/ir/foreign_text.h"
#include "convert/dims/dims.h"
#include "convert/dims/fitting_sizes.h"
#include "convert/interp/memory_limits.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/quantize/layer_weights.h"
#include "convert/inputs/inputs_text.h"
#include "convert/inputs/sample_files.h"
#include "convert/inputs/spectrum_units.h"
#include "convert/quantize/smoothing.h"
#include "convert/measure/accumulated_error.h"
#include "convert/prepare/cut_advice.h"
#include "convert/prepare/pinning_advice.h"
#include "convert/prepare/reference.h"
#include "convert/text/table_bytes.h"
#include "convert/blob/version.h"
#include "rt/base/float_mode.h"

namespace edgeconv {

namespace {

// Rounds of the program passes in a trace: the program with placeholders for weights, and the one that is written.
constexpr int kTrialRound = 1, kWrittenRound = 2;

// One conversion. The steps are in their order; convert_model runs them.
class Conversion {
 public:
  explicit Conversion(const ConvertOptions& o) : o_(o), budget_{o.gates.max_slowdown, o.gates.max_bytes} {
    if (o_.gates.max_loss > 0) o_.precision.target_cosine = cosine_of(o_.gates.max_loss);
  }
  void read(const std::string& path);
  void fuse();
  void calibrate();
  void run_references();
  void check_nothing();
  void choose_precisions();
  void measure_outputs();
  void write();
  void compress();
  bool must_be_smaller();
  void finish();
  ConvertResult result() { return std::move(r_); }
  // What a user should know besides the reason of a failure.
  std::string notes() const;

 private:
  void stage(const char* name, double fraction) {
    r_.cost.begin(name);
    if (o_.progress) o_.progress(name, fraction);
  }
  bool joins_dynamic_axis() const;
  // A plan for layers that are as given, and what it gives up.
  struct Searched {
    Choice choice;
    std::vector<char> freed;  // set_free_layers
    bool keeps_gate = false;
    double time = 0, slowdown = kF32Work;
    uint64_t bytes = 0;
  };
  Searched search(const std::vector<LayerSensitivity>& layers);
  bool can_be_quicker(const Searched& over_maps, const std::vector<LayerSensitivity>& rows) const;
  bool quantizes() const { return o_.precision.mode != PrecisionMode::kFp32 || !o_.precision.overrides.empty(); }

  ConvertOptions o_;
  ConvertResult r_;
  Diagnostics d_;
  PreparedModel model_;  // as exported; what the blob is compared with
  Graph g_;              // fused
  DimPlan dims_;
  std::vector<KeptState> states_;
  TextPlan text_;
  std::optional<PaddingMask> padding_;  // where it is proved to reach nothing else, whether it is skipped or not
  PrecisionRequest request_;            // as it is done: what cannot be checked is not int8
  LowerOptions options_;                // but for the plan of precisions
  WeightStore weights_;
  SmoothingFactors smooth_;
  std::vector<LayerSensitivity> layers_;  // the noisiest first
  std::optional<ValidationSet> validation_;
  std::optional<Candidates> candidates_;
  Budget budget_;
  uint64_t chosen_bytes_ = 0;  // where bytes are limited: without certificate and golden vectors
};

// What to type to have recorded inputs instead of made-up ones.
std::string calib_command(const std::string& path, const std::map<std::string, int64_t>& dims, const ModelInfo& model) {
  std::string command = "edgeconv convert " + escaped(path);
  for (const auto& [name, most] : dims) command += fmt::format(" --dim {}={}", printable(name), most);
  for (const auto& [name, size] : model.fixed_dims) command += fmt::format(" --fix {}={}", printable(name), size);
  for (const PinnedInput& p : model.pinned)
    command += fmt::format(" --const {}={}", printable(p.name), uniform_text(p.contents).value_or("FILE.npy"));
  for (size_t i = 0; i < model.chosen_outputs.size(); ++i)
    command += (i == 0 ? " --outputs " : ",") + printable(model.chosen_outputs[i]);
  return command + " --calib FILE.npz";
}

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

void Conversion::read(const std::string& path) {
  stage("reading", 0.0);
  text_ = plan_text(o_, d_);
  o_.prepare.task = text_.wanted();
  model_ = prepare_model(path, o_.prepare, d_);
  r_.model = model_.info;
  r_.raw_inputs = model_.raw_inputs;
  r_.fusions = model_.fusions;
  states_ = kept_states(model_.graph, o_.states);
  dims_ = plan_dims(model_.graph, o_.dims, states_);
  fit_text(text_, model_, dims_);
  r_.task = model_.task;
  r_.text_facts = text_.facts;
  if (!o_.calibration_files.empty())
    o_.calibration = read_samples({"--calib", o_.calibration_files, kCalibrationSamples, model_.info.declared_inputs},
                                  model_.graph, dims_, d_);
  if (o_.calibration.empty()) r_.calib_command = calib_command(path, o_.dims, model_.info);
  r_.reference = reference_name(model_);
}

bool Conversion::joins_dynamic_axis() const {
  return std::any_of(o_.prepare.joins.begin(), o_.prepare.joins.end(), [&](const Join& j) {
    for (ValueId v : g_.outputs) {
      const Shape& shape = *g_.value(v).shape;
      if (g_.value(v).name == j.name) return !shape.at(axis_index(j.axis, shape.size())).is_constant();
    }
    return false;
  });
}

// Everything that cannot be converted is known before the slow part.
void Conversion::fuse() {
  stage("fusing", 0.15);
  g_ = model_.graph;
  // Cores of profile M are quicker with every convolution over maps, and have little RAM. Features for another network are worth fp32 more than time (free_lifts.cc).
  const MapUse fitting = o_.target.dtype == ert::params::kPackedN2K16 ? MapUse::kAll : MapUse::kQuicker;
  g_.maps = o_.maps.value_or(gives_features(model_.graph, dims_) ? MapUse::kNever : fitting);
  for (auto& count : run_passes(g_, d_, {kDebugBuild, o_.prepare.trace}).counts) r_.fusions.push_back(std::move(count));
  d_.check();
  g_.release_unused_constants();
  find_minima(g_, dims_);
  for (const auto& [name, range] : dims_.range) r_.dims.push_back({name, range.first, range.second});
  check_finite_weights(g_, d_);
  options_ = lower_options(dims_);
  options_.skip_padding = o_.skip_padding;
  options_.smoothing = &smooth_;
  LowerOptions trial = options_;
  if (quantizes()) trial.plan = int8_plan(g_);
  trial.plan.int8_attention = trial.plan.int8_tables = !is_exact(o_.precision.mode);
  std::optional<TargetPacking> packing;
  try {
    packing = trial_program(g_, trial, d_, {o_.prepare.trace, kTrialRound}).packing;
  } catch (const FatalError&) {
    advise_pinning(g_, d_);
    advise_outputs(model_.info.file.get(), d_);
    d_.check();
    throw;
  }
  if (!packing && o_.skip_padding && joins_dynamic_axis())
    d_.warn(
        "--concat joins outputs along an axis whose size is known only at run time: the rows of padding are computed then, not "
        "skipped and zeroed; join along the last axis, or leave the outputs apart, if a mask should save that work");
  if (packing) {
    padding_ = PaddingMask{static_cast<size_t>(packing->mask), packing->padding};
    if (padding_->padding == 1) dims_.ones_are_padding.insert(g_.inputs[padding_->input]);
  }
  if (o_.calibration.empty()) settle_units(model_.graph, dims_);
  options_.weights = &weights_;
  model_.drop_pages();
}

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
  r_.error_inputs = !recorded                      ? made_up_text(model_.graph, dims_, validation_->inputs().size())
                    : o_.calibration_files.empty() ? recorded_text({})
                                                   : recorded_text({o_.calibration_files});
  r_.untaken = validation_->untaken_branches();
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
  request_.mode = PrecisionMode::kW8A16;
  d_.warn(fmt::format("{}, so int8 cannot be checked: layers are w8a16; --precision int8 asks for it",
                      validation_->leaves_out_chaos() ? "the fp32 model is chaotic on all that was made up for it" : "no output moves with the inputs"));
}

bool has_node(const Graph& g, OpKind kind) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const Node& n) { return !n.dead && n.kind == kind; });
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

void Conversion::write() {
  stage("writing", 0.9);
  Candidate chosen = candidates_->take(r_.plan);
  // Of all candidates only this one is traced, which is the one that is written.
  if (o_.prepare.trace) {
    LowerOptions traced = options_;
    traced.plan = r_.plan;
    chosen.program = build_program(g_, traced, d_, {o_.prepare.trace, kWrittenRound});
  }
  ert_info built{};
  built.struct_size = sizeof built;
  ert_model_info(&open_own(chosen.blob)->model(), &built);
  r_.skips_padding = built.skips_padding != 0;
  if (r_.skips_padding) r_.mask = model_.graph.value(model_.graph.inputs[built.mask_input]).name;
  r_.ops = chosen.program.ops.size();
  BlobMeta meta;
  meta.producer = std::string("edgeconv ") + kVersion;
  meta.source_sha256 = r_.model.sha256;
  meta.security_counter = o_.security_counter;
  if (text_.tokenizer) meta.tokenizer = text::table_bytes(*text_.tokenizer);
  r_.tokenizer_bytes = meta.tokenizer.size();
  meta.certificate = certificate_json(r_, o_, chosen.compared().errors());
  GoldenInputs golden;
  bool still = false;
  {
    const auto measured = open_own(chosen.blob);
    golden = golden_inputs(*measured, model_.graph, dims_, o_.golden, o_.calibration);
    meta.golden = golden_vectors(*measured, golden.sets);
    const auto run = [&](const auto& inputs) { return outputs_if_taken(*measured, inputs); };
    if (!o_.golden_asked) meta.golden = shortened(run, std::move(meta.golden), chosen.blob.bytes(), &still);
  }
  if (still) d_.warn("no output moves with the inputs that golden vectors have: the device's self test notices little");
  if (golden.given && !golden.sets.empty())
    d_.warn("the model does not take made-up inputs, so its golden vectors hold " + std::to_string(golden.sets.size()) +
            " of the calibration inputs; --golden none leaves them out");
  if (meta.golden.size() < golden.sets.size())
    d_.warn(fmt::format(
        "{} of {} golden vectors are stored: this model takes no made-up inputs, and others are larger than {} bytes, the "
        "most that they take beside this blob. Without any the device's self test checks nothing; --golden N stores N",
        meta.golden.size(), golden.sets.size(), most_golden_bytes(chosen.blob.bytes())));
  golden.sets.clear();
  r_.golden_bytes = 0;
  for (const GoldenVector& v : meta.golden) {
    golden.sets.push_back(v.inputs);
    r_.golden_bytes += golden_bytes(v);
  }
  chosen.blob = Tensor();  // not two of them at a time
  for (const KeptState& s : states_)
    chosen.program.states.push_back({static_cast<uint32_t>(s.output), static_cast<uint32_t>(s.input)});
  change_weight_layout(chosen.program, o_.target.dtype);
  if (o_.bands != BandUse::kNever) make_row_bands(chosen.program, choose_bands(o_.bands, o_.target.name == "cortex-m"));
  r_.blob = write_blob(chosen.program, meta);
  // Read back: what is written must open, and give the bits of the layout that everything above was measured with.
  const auto written = open_own(r_.blob);
  if (golden_vectors(*written, golden.sets) != meta.golden)
    throw FatalError(ExitCode::kInternal, fmt::format("the blob for --target {} computes other bits", o_.target.name));
}

void Conversion::compress() {
  if (!o_.compress) return;
  Tensor packed = compress_blob(r_.blob);
  if (packed.bytes() < r_.blob.bytes())
    r_.packed = std::move(packed);
  else
    d_.warn("--compress zstd: nothing became smaller; the blob is written uncompressed");
}

// What else is in the file (certificate, golden vectors, layout of the target) is known once it is written: then there is less for weights.
bool Conversion::must_be_smaller() {
  const uint64_t stored = r_.stored().bytes(), most = o_.gates.max_bytes;
  if (!most || stored <= most || o_.precision.mode != PrecisionMode::kAuto || chosen_bytes_ > budget_.bytes) return false;
  const uint64_t more = stored - std::min(stored, chosen_bytes_);
  budget_.bytes = most > more ? std::min(most - more, chosen_bytes_ - 1) : 1;
  r_.packed = Tensor();
  return true;
}

void Conversion::finish() {
  warn_of_losses(o_, r_, d_);
  r_.warnings = d_.warnings();
  r_.cost.end();
  r_.refusal = missed_gate(o_, r_);
  if (r_.refusal) {
    const std::string more = notes();  // of the result, before it is moved
    throw GateMissed(std::move(r_), more);
  }
  stage("done", 1.0);
}

std::string Conversion::notes() const {
  std::string s;
  if (validation_)
    for (const std::string& name : validation_->not_finite_outputs())
      s += "\nnote: the fp32 model itself gives NaN or infinity in output '" + printable(name) + "' on " + r_.error_inputs;
  for (const std::string& w : d_.warnings()) s += "\nwarning: " + w;
  return s;
}

}  // namespace

ConvertResult convert_model(const std::string& path, const ConvertOptions& options) {
  const ert::FloatMode float_mode;  // folded constants and calibration follow the runtime's rules (subnormals are zero)
  Conversion c(options);
  try {
    c.read(path);
    c.fuse();
    c.calibrate();
    c.run_references();
    do {
      c.choose_precisions();
      c.measure_outputs();
      c.write();
      c.compress();
    } while (c.must_be_smaller());
    c.finish();
  } catch (const GateMissed&) {
    throw;
  } catch (const FatalError& e) {
    throw FatalError(e.code(), e.what() + c.notes());
  }
  return c.result();
}

}  // namespace edgeconv
