// `edgeconv validate`: a blob against the model it came from, on given or made-up inputs; its certificate and golden vectors; and
// how well both do a labelled task.
#include <fmt/format.h>

#include <filesystem>

#include "convert/cli/command.h"
#include "convert/cli/input_files.h"
#include "convert/cli/memory_limit.h"
#include "convert/cli/standard_output.h"
#include "convert/cli/validate_pair.h"
#include "convert/cli/validate_text.h"
#include "convert/files/json.h"
#include "convert/pipeline/convert.h"
#include "convert/interp/interpreter.h"
#include "convert/passes/pass.h"
#include "convert/dims/dims.h"
#include "convert/dims/fitting_sizes.h"
#include "convert/inputs/inputs_text.h"
#include "convert/inputs/sample_files.h"
#include "convert/quantize/smoothing.h"
#include "convert/measure/accumulated_error.h"
#include "convert/measure/decision.h"
#include "convert/report/certificate_check.h"
#include "convert/report/certified_pinning.h"
#include "convert/report/layer_table.h"
#include "convert/prepare/reference.h"
#include "convert/report/task_score.h"
#include "convert/run/blob_runner.h"
#include "convert/precision/validation_set.h"
#include "rt/base/float_mode.h"

namespace edgeconv::cli {

namespace {

using Sets = std::vector<std::vector<Tensor>>;

bool holds_tensor_files(const std::string& folder) {
  std::error_code error;
  for (const auto& f : std::filesystem::directory_iterator(folder, error))
    if (f.path().extension() == ".pb" && f.path().filename().string().rfind("input_", 0) == 0) return true;
  return false;
}

// Of each --data: where the model keeps states, the frames of one stream.
std::vector<Sets> read_data(const ValidateArguments& o, const Pair& p, Diagnostics& d) {
  std::vector<Sets> all;
  for (const std::string& path : o.data) {
    const bool one_set = std::filesystem::is_directory(path) ? holds_tensor_files(path) : !std::filesystem::exists(path);
    if (one_set && p.dims.kept_states.empty())
      all.push_back({read_pb_inputs(path, p.inputs, p.model.info.declared_inputs)});
    else
      all.push_back(read_samples({"--data", path, kAllSamples, p.model.info.declared_inputs}, p.model.graph, p.dims, d));
  }
  return all;
}

// As a device runs a stream: in each frame the states are what the blob itself gave in the one before.
Sets run_stream(Pair& p, const MeasuredOutputs& outputs, const Sets& sets) {
  std::vector<Frame> frames;
  for (const std::vector<Tensor>& set : sets) {
    frames.emplace_back(set.begin(), set.end());
    for (const KeptState& s : p.dims.kept_states) frames.back()[s.input].reset();
  }
  return outputs.of_stream(p.runner, frames);
}

std::optional<TaskScore> task_of(const ValidateArguments& o, const Pair& p) {
  if (o.labels.empty()) {
    if (o.metric != "auto" || !o.label_output.empty())
      throw FatalError(ExitCode::kUsage, "--metric and --label-output are about --labels, which is not given");
    return {};
  }
  if (o.data.empty()) throw FatalError(ExitCode::kUsage, "--labels needs the labelled inputs: --data FILE.npz or a folder");
  std::optional<TaskMetric> metric;
  if (o.metric != "auto") metric = o.metric == "accuracy" ? TaskMetric::kAccuracy : TaskMetric::kSpearman;
  return TaskScore(read_labels(o.labels), o.labels, metric, o.label_output, p.outputs);
}

// Which positions hold tokens: as the blob has it, or as an input says that calls itself a mask.
std::optional<TokenMask> tokens_of(const Pair& p, const std::vector<Tensor>& set) {
  if (p.padding) return token_mask(*p.padding, set);
  for (size_t i = 0; i < set.size(); ++i)
    if (!is_float(set[i].dtype()) && set[i].rank() == 2 && p.inputs[i].find("mask") != std::string::npos)
      return token_mask(PaddingMask{i, 0}, set);
  return {};
}

// What the conversion smoothed for: 16-bit rows only where all layers were asked to have them.
double lhs_steps(const Pair& p) {
  const bool asked = p.certificate.is_object() && p.certificate.contains("precision") &&
                     p.certificate.at("precision") == mode_name(PrecisionMode::kW8A16);
  return asked && p.runner.custom_ops().empty() ? kInt16Steps : kInt8Steps;
}

// As the conversion had it, where calibration is as it was.
ValidationSet validation_set(const Pair& p, const Sets& calibration) {
  ValidationSet validation(p.model.graph, p.dims, calibration, p.padding);
  if (p.certificate.is_object() && measured_on(p.certificate).chaotic) validation.leave_out_chaos(p.model.graph);
  return validation;
}

// measured: what the outputs were measured on already, if that is what a conversion compares on.
CertificateCheck check(Pair& p, const Sets& calibration, const LayerTable& table, const std::optional<ValidationSet>& measured) {
  if (p.certificate.is_object() && measured_on(p.certificate).user && calibration.empty())
    return {CertificateCheck::State::kNotComparable,
            "it was measured on calibration inputs: give the conversion's --calib again",
            0,
            0,
            {}};
  if (!p.certificate.is_object()) return check_certificate(p.certificate, {});
  const ert::FloatMode float_mode;
  const bool user = measured_on(p.certificate).user, same = measured && user == !calibration.empty();
  std::optional<ValidationSet> own;
  if (!same) own = validation_set(p, user ? calibration : Sets());
  const ValidationSet& validation = same ? *measured : *own;
  const Tensor blob(DType::kUint8, {static_cast<int64_t>(p.file.bytes())}, p.file.data(), nullptr);
  return check_certificate(p.certificate,
                           {p.model.info.sha256, inputs_sha256(validation.inputs()), validation.compare(validation.results(*open_own(blob))).errors(),
                            table.errors(p.runner, some_of(validation.inputs()))});
}

struct Validated {
  Comparison comparison;
  std::string compared_on;
  std::vector<LayerError> layers;
  CertificateCheck certificate;
  uint32_t golden = 0;
};

// All that takes time; what progress shows are shares of it in usual models.
Validated compare_all(const ValidateArguments& o, Pair& p, std::optional<TaskScore>& task, Progress& progress) {
  const Sets& calibration = p.calibration;
  Diagnostics d;
  Sets sets;
  std::vector<Sets> data;
  progress.show("reading inputs", 0.05);
  {
    const ert::FloatMode float_mode;  // states that the model gives are those of the conversion, bit for bit
    data = read_data(o, p, d);
  }
  for (const std::string& w : d.warnings()) progress.line("warning: " + w);
  progress.show("replaying golden vectors", 0.1);
  const uint32_t golden = p.runner.replay_golden();
  MeasuredOutputs outputs(p.model.graph);
  Comparison c = outputs.comparison();
  std::string compared_on;
  std::optional<ValidationSet> as_converted;
  std::vector<LayerError> layers;
  CertificateCheck certificate;
  with_made_up_inputs(o.data.empty() && calibration.empty(), [&] {
    const auto compare = [&](const std::vector<Tensor>& set, const std::vector<Tensor>& got, const ChaoticSamples& chaotic) {
      const std::vector<Tensor> want = outputs.of_model(p.model.graph, set, {});
      c.add(want, got, p.padding ? std::optional(token_mask(*p.padding, set)) : std::nullopt, chaotic);
      if (task) task->add(want, got, tokens_of(p, set));
    };
    if (o.data.empty()) {
      // What a conversion with the same inputs compares on: its figures are these.
      progress.show("running the fp32 reference", 0.15);
      {
        const ert::FloatMode float_mode;
        as_converted = validation_set(p, calibration);
      }
      outputs = as_converted->outputs();
      c = outputs.comparison();
      progress.show("running the blob", 0.4);
      const Sets got = as_converted->results(p.runner);
      sets = as_converted->inputs();
      for (size_t i = 0; i < sets.size(); ++i) compare(sets[i], got[i], as_converted->chaotic(i));
      compared_on = as_converted->recorded() ? recorded_text({o.calibration}, as_converted->has_states() ? sets.size() : 0)
                                             : made_up_text(p.model.graph, p.dims, sets.size());
    } else {
      const bool streams = !p.dims.kept_states.empty();
      size_t count = 0;
      for (const Sets& one : data) count += one.size();
      for (Sets& one : data) {
        const Sets got = streams ? run_stream(p, outputs, one) : Sets();
        for (size_t i = 0; i < one.size(); ++i) {
          progress.show(fmt::format("comparing set {} of {}", sets.size() + 1, count),
                        0.15 + 0.5 * static_cast<double>(sets.size()) / static_cast<double>(count));
          compare(one[i], streams ? got[i] : outputs.of_blob(p.runner, one[i]), {});
          sets.push_back(std::move(one[i]));
        }
      }
      compared_on = recorded_text(o.data, streams ? count : 0);
    }
    progress.show("measuring layers", 0.65);
    const LayerTable table(p.fused, p.dims, calibration, p.padding, lhs_steps(p));
    layers = table.errors(p.runner, some_of(sets));
    progress.show("checking the certificate", 0.8);
    certificate = check(p, calibration, table, as_converted);
  });
  return {std::move(c), std::move(compared_on), std::move(layers), std::move(certificate), golden};
}

int validate(const ValidateArguments& o) {
  limit_memory(o.memory_limit);
  std::optional<Progress> progress(std::in_place, o.progress == "off"  ? Progress::Mode::kOff
                                                  : o.progress == "on" ? Progress::Mode::kOn
                                                                       : Progress::Mode::kAuto);
  progress->show("reading the model", 0);
  Pair p(o, *progress);
  std::optional<TaskScore> task = task_of(o, p);
  const auto [c, compared_on, layers, certificate, golden] = compare_all(o, p, task, *progress);
  progress.reset();  // the bar is gone before results are told
  const bool made_up = o.data.empty() && o.calibration.empty();
  if (c.errors().size() < p.outputs.size()) tell("warning: outputs that depend on custom operators are not compared\n");
  const std::optional<TaskResult> score = task ? std::optional(task->result()) : std::nullopt;
  const std::string reference = reference_name(p.model);
  if (o.json) {
    const Json j{{"version", 1},
                 {"reference", reference},
                 {"inputs", made_up ? "made up" : "given"},
                 {"compared_on", compared_on},
                 {"outputs", outputs_json(c.errors())},
                 {"task", score ? task_json(*score) : Json(nullptr)},
                 {"golden_vectors", golden},
                 {"certificate", certificate_json(certificate)},
                 {"layers", layers_json(layers)}};
    print_data(json_text(j));
  } else {
    for (const OutputError& e : c.errors()) print_error(e);
    print("reference: {}, on {}\n", reference, compared_on);
    if (score)
      print("{} of '{}' on {} labels: reference {:.4f}, blob {:.4f} ({:+.4f})\n", metric_name(score->metric),
            printable(score->output), score->labels, score->reference, score->blob, score->blob - score->reference);
    print_certificate(certificate, golden);
    print_layers(layers);
  }
  flush_output();
  if (const double worst = worst_cosine(c.errors()); worst < kFailCosine)
    throw FatalError(
        ExitCode::kAccuracy,
        fmt::format("the worst output has cosine {:.6f} with the reference, below the gate of {:g}", worst, kFailCosine));
  if (certificate.state == CertificateCheck::State::kContradicted)
    throw FatalError(ExitCode::kAccuracy, "the blob is not what its certificate says: " + certificate.contradictions.front());
  return 0;
}

}  // namespace

Action add_validate(Arguments& a) {
  auto o = std::make_shared<ValidateArguments>();
  a.option("model", o->model, "ONNX file", {.required = true});
  a.option("blob", o->blob, "blob made from it", {.required = true});
  a.group("Inputs");
  a.option("--data", o->data,
           "inputs to compare on: a folder of input_K.pb, or a file or folder as of convert --calib; repeatable; default: "
           "made-up inputs",
           {.type = "FILE|DIR"});
  a.option("--calib", o->calibration, "what the conversion was given, to measure its certificate again", {.type = "FILE|DIR"});
  a.option(
      "--labels", o->labels,
      "labels of the samples of --data, a .npy or a text with one number per line. Integers are classes of samples, or "
      "[samples, tokens] of tokens, where negative ones do not count: the share of right answers. Others are scores, one per "
      "sample, or one per pair of samples that follow each other: Spearman's rank correlation with the output, or with the "
      "cosine of the pair's embeddings",
      {.type = "FILE"});
  a.option("--metric", o->metric, "auto (by the labels), accuracy or spearman", {.one_of = {"auto", "accuracy", "spearman"}});
  a.option("--label-output", o->label_output, "the output that the labels are for; default: the first that fits");
  a.group("As in the conversion");
  a.option("--concat", o->concat, "as in the conversion; repeatable");
  a.option("--custom-op", o->custom_ops, "as in the conversion; repeatable");
  o->pins.declare(a, "as in the conversion (needed only where an input became an array, of which the blob has the hash): ");
  a.group("Limits and messages");
  declare_memory_limit(a, o->memory_limit);
  a.option("--progress", o->progress, "auto, on or off", {.one_of = {"auto", "on", "off"}});
  a.flag("--json", o->json, "as JSON");
  a.example("edgeconv validate model.onnx model.ert --data inputs.npz", "how far the blob is from the model on your inputs");
  return [o] { return validate(*o); };
}

}  // namespace edgeconv::cli
