#include "convert/cli/validate_pair.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/dims/fitting_sizes.h"
#include "convert/inputs/quantized_ranges.h"
#include "convert/inputs/sample_files.h"
#include "convert/inputs/spectrum_units.h"
#include "convert/passes/pass.h"
#include "convert/prepare/as_quantized.h"
#include "convert/precision/kept_saturation.h"
#include "convert/report/certificate_check.h"
#include "convert/report/certified_pinning.h"
#include "rt/base/float_mode.h"

namespace edgeconv::cli {

Pair::Pair(const ValidateArguments& o, Progress& progress) : file(o.blob), runner(file.data(), file.bytes()) {
  PrepareOptions prepare;
  for (const std::string& c : o.concat) prepare.joins.push_back(parse_join(c));
  for (const std::string& c : o.custom_ops) prepare.custom_ops.push_back(parse_custom_op(c));
  certificate = certificate_of(runner);
  const CertifiedPinning pinning = certified_pinning(certificate);
  prepare.pinning = pinning_again(pinning, o.pins.parse({}));
  prepare.raw_inputs = certified_raw_inputs(certificate);
  prepare.task = certified_task(certificate);
  Diagnostics d;
  for (const NamedDim& dim : runner.dims()) prepare.most_dims[dim.name] = dim.max;
  ImportedModel imported = import_model(o.model, d, {prepare.custom_ops, prepare.pinning, prepare.most_dims});
  check_contents(pinning, imported.info.pinned);  // before other contents lead to another graph
  std::shared_ptr<const Graph> as_quantized;
  model = prepare_model(std::move(imported), prepare, d, as_quantized);
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&runner.model(), &info);
  if (model.info.sha256 != info.source_sha256)
    progress.line("warning: the blob was not made from exactly this file (source hash differs)");
  for (ValueId v : model.graph.inputs) inputs.push_back(model.graph.value(v).name);
  for (ValueId v : model.graph.outputs) outputs.push_back(model.graph.value(v).name);
  if (outputs.size() != runner.outputs().size())
    throw FatalError(ExitCode::kUsage,
                     fmt::format("the model has {} outputs, the blob {}: give the --concat options of the conversion again",
                                 outputs.size(), runner.outputs().size()));
  const MeasuredOn on = measured_on(certificate);
  padding = padding_mask(runner);
  if (const auto it = std::find(inputs.begin(), inputs.end(), on.mask); it != inputs.end())
    padding = PaddingMask{static_cast<size_t>(it - inputs.begin()), on.padding};
  std::map<std::string, int64_t> most;
  for (const NamedDim& dim : runner.dims()) most[dim.name] = dim.max;
  std::vector<KeptState> states;
  for (size_t i = 0; i < runner.inputs().size(); ++i)
    if (runner.inputs()[i].state >= 0) states.push_back({static_cast<size_t>(runner.inputs()[i].state), i});
  dims = plan_dims(model.graph, most, states);
  if (!o.calibration.empty()) {
    Diagnostics of_samples;
    const ert::FloatMode float_mode;  // states that the model gives are those of the conversion, bit for bit
    calibration = read_samples({"--calib", o.calibration, kCalibrationSamples, model.info.declared_inputs}, model.graph, dims, of_samples);
    for (const std::string& w : of_samples.warnings()) progress.line("warning: " + w);
  }
  if (as_quantized) {
    take_quantized_ranges(*as_quantized, model.graph, dims);
    keep_saturation(*as_quantized, model.graph, dims, on.user ? calibration : decltype(calibration)());
  }
  as_quantized.reset();
  if (padding && padding->padding == 1) dims.ones_are_padding.insert(model.graph.inputs.at(padding->input));
  fused = model.graph;
  run_passes(fused, d);
  fused.release_unused_constants();  // as for the conversion: the work that a model may cost goes by its parameters
  find_minima(fused, dims);
  settle_units(model.graph, dims);
}

}  // namespace edgeconv::cli
