// The first steps: the model that is converted, fused, and all that can be refused before the slow part.
#include <fmt/format.h>

#include <algorithm>

#include "convert/dims/fitting_sizes.h"
#include "convert/inputs/quantized_ranges.h"
#include "convert/inputs/sample_files.h"
#include "convert/inputs/spectrum_units.h"
#include "convert/ir/axis.h"
#include "convert/ir/foreign_text.h"
#include "convert/lower/build_program.h"
#include "convert/passes/pass.h"
#include "convert/pipeline/conversion.h"
#include "convert/precision/chain.h"
#include "convert/precision/kept_saturation.h"
#include "convert/prepare/as_quantized.h"
#include "convert/prepare/cut_advice.h"
#include "convert/prepare/fixed_dims.h"
#include "convert/prepare/pinning_advice.h"
#include "convert/prepare/reference.h"
#include "convert/quantize/deep_layers.h"

namespace edgeconv {
namespace {

// What to type to have recorded inputs instead of made-up ones, and everything else as it was.
std::string calib_command(const std::string& path, const std::vector<std::string>& words) {
  std::string command = "edgeconv convert";
  for (const std::string& w : words) command += " " + shell_word(w);
  return command + (words.empty() ? " " + shell_word(path) : "") + " --calib FILE.npz";
}

}  // namespace

void Conversion::read(const std::string& path) {
  stage("reading", 0.0);
  text_ = plan_text(o_, d_);
  o_.prepare.task = text_.wanted();
  std::shared_ptr<const Graph> as_quantized;
  model_ = prepare_model(import_model(path, d_, {o_.prepare.custom_ops, o_.prepare.pinning, o_.prepare.most_dims}), o_.prepare, d_, as_quantized);
  r_.model = model_.info;
  r_.raw_inputs = model_.raw_inputs;
  r_.fusions = model_.fusions;
  states_ = kept_states(model_.graph, o_.states);
  check_dims_vary(model_.graph, model_.info, o_.dims);
  dims_ = plan_dims(model_.graph, o_.dims, states_);
  fit_text(text_, model_, dims_);
  r_.task = model_.task;
  r_.text_facts = text_.facts;
  if (!o_.calibration_files.empty())
    o_.calibration = read_samples({"--calib", o_.calibration_files, kCalibrationSamples, model_.info.declared_inputs},
                                  model_.graph, dims_, d_);
  if (o_.calibration.empty()) r_.calib_command = calib_command(path, o_.words);
  if (as_quantized) {
    take_quantized_ranges(*as_quantized, model_.graph, dims_);
    r_.source_rounding = keep_saturation(*as_quantized, model_.graph, dims_, o_.calibration);
  }
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
  const bool pictures = !dims_.kinds.empty() && std::all_of(dims_.kinds.begin(), dims_.kinds.end(), [](const auto& k) { return k.second.kind == InputKind::kImage; });
  const MapUse quicker = pictures && o_.precision.mode == PrecisionMode::kInt8 ? MapUse::kQuickerOfPictures : MapUse::kQuicker;
  const MapUse fitting = o_.target.dtype == ert::params::kPackedN2K16 ? MapUse::kAll : quicker;
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
  if (quantizes()) {
    trial.plan = int8_plan(g_);
    warn_of_deep_layers(g_, d_);
  }
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

}  // namespace edgeconv
