// The conversion pipeline: import, infer, passes, precision plan, lowering, memory plan, blob, comparison.
#include "convert/convert.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <set>

#include "convert/emit/blob.h"
#include "convert/emit/certificate.h"
#include "convert/emit/compress.h"
#include "convert/emit/lower.h"
#include "convert/interp/interpreter.h"
#include "convert/passes/pass.h"
#include "convert/plan/dims.h"
#include "convert/plan/limits.h"
#include "convert/plan/pack_rows.h"
#include "convert/plan/slots.h"
#include "convert/quantize/calibration_files.h"
#include "convert/quantize/smoothing.h"
#include "convert/quantize/synthetic_inputs.h"
#include "convert/run/blob_runner.h"
#include "convert/version.h"
#include "rt/float_mode.h"

namespace edgeconv {

namespace {

// Inputs, and what the model as exported gives for them in fp32: `canonical` on ert's own kernels for whatever reaches the
// blob (decisions, certificate), which must not depend on the host; `oracle` on OpenBLAS and libm for the gates and the report.
struct Validation {
  std::vector<std::vector<Tensor>> inputs, canonical, oracle;
};

Validation make_validation(const Graph& original, const DimPlan& dims, const ConvertOptions& o) {
  Validation v;
  const auto leading_max = [&](const std::vector<Tensor>& set) {
    for (size_t i = 0; i < set.size(); ++i) {
      const Shape& shape = *original.value(original.inputs[i]).shape;
      for (size_t a = 0; a < shape.size(); ++a)
        if (shape[a].is_symbol() && set[i].dims()[a] > dims.range.at(shape[a].symbol_name()).second) return false;
    }
    return true;
  };
  for (const auto& set : o.calibration)
    if (leading_max(set) && v.inputs.size() < 32) v.inputs.push_back(set);
  if (v.inputs.empty()) {
    v.inputs.push_back(synthetic_inputs(original, dims, {4, 32, false, 101, true}));
    v.inputs.push_back(synthetic_inputs(original, dims, {4, 24, true, 102, true}));
    v.inputs.push_back(synthetic_inputs(original, dims, {1, 5, false, 103, true}));
  }
  for (const auto& set : v.inputs) {
    v.canonical.push_back(interpret(original, set, {Backend::kCanonical, {}}));
    v.oracle.push_back(interpret(original, set, {Backend::kOracle, {}}));
  }
  return v;
}

std::vector<std::string> output_names(const Graph& g) {
  std::vector<std::string> names;
  for (ValueId v : g.outputs) names.push_back(g.value(v).name);
  return names;
}

struct Comparisons {
  Comparison canonical, oracle;
};

// Our own blob must open; when it does not, the fault is ours and not the file's.
std::unique_ptr<BlobRunner> open_own(const Tensor& blob) {
  try {
    return std::make_unique<BlobRunner>(blob.data(), blob.bytes());
  } catch (const FatalError& e) {
    if (e.code() == ExitCode::kLimit) throw;
    throw std::logic_error("the runtime refuses the blob made from this model (" + std::string(e.what()) + ")");
  }
}

// Runs f; a model that cannot take the made-up inputs is told how to give real ones.
template <class F>
auto with_inputs(const ConvertOptions& o, F f) {
  try {
    return f();
  } catch (const FatalError& e) {
    if (!o.calibration.empty() || e.code() != ExitCode::kMalformed) throw;
    throw FatalError(ExitCode::kUnsupported,
                     "the model does not take the inputs that the conversion made up to calibrate and check it: " +
                         std::string(e.what()) + "\nGive real inputs with --calib DIR or --calib FILE.npz");
  }
}

Comparisons compare(const Tensor& blob, const Graph& g, const Validation& v) {
  const auto opened = open_own(blob);
  BlobRunner& runner = *opened;
  Comparisons c{Comparison(output_names(g)), Comparison(output_names(g))};
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    const std::vector<Tensor> got = runner.run(v.inputs[i], {1, 0, true});
    const std::optional<TokenMask> mask = token_mask(runner, v.inputs[i]);
    c.canonical.add(v.canonical[i], got, mask);
    c.oracle.add(v.oracle[i], got, mask);
  }
  return c;
}

Tensor build(const Graph& g, const LowerOptions& options, const BlobMeta& meta, Diagnostics& d, size_t* ops = nullptr) {
  TargetProgram program = lower(g, options, d);
  d.check();
  check_runtime_limits(program);
  if (options.skip_padding) pack_rows(program);
  plan_slots(program);
  if (ops) *ops = program.ops.size();
  return write_blob(program, meta);
}

// What the blob itself computes for small inputs; the device must give the same bits.
std::vector<GoldenVector> golden_vectors(const Tensor& blob, const Graph& g, const DimPlan& dims, int count) {
  std::vector<GoldenVector> golden;
  const auto opened = open_own(blob);
  BlobRunner& runner = *opened;
  for (int i = 0; i < count; ++i) {
    GoldenVector v;
    v.inputs = synthetic_inputs(g, dims, {1, 8, false, 900 + static_cast<uint64_t>(i), true});
    for (const Tensor& t : v.inputs)
      if (t.elements() == 0) return {};
    v.dims = runner.dims_of(v.inputs);
    v.outputs = runner.run(v.inputs);
    golden.push_back(std::move(v));
  }
  return golden;
}

// A NaN or infinite weight would surface as a cosine of 0 much later.
void check_weights(const Graph& g, Diagnostics& d) {
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kLinear && n.kind != OpKind::kNorm && n.kind != OpKind::kEmbedding)) continue;
    for (ValueId v : n.inputs) {
      if (v == kNone || !g.value(v).constant || !is_float(g.value(v).dtype)) continue;
      const std::vector<float> values = g.value(v).constant->to_float();
      if (std::any_of(values.begin(), values.end(), [](float x) { return !std::isfinite(x); }))
        d.malformed("weight '" + g.value(v).name + "' of '" + n.origin.node +
                    "' holds NaN or infinite values: the checkpoint or its export is broken; export it again");
    }
  }
}

std::vector<std::string> unknown_outputs(const Graph& g, const Validation& v) {
  std::vector<std::string> names;
  for (size_t i = 0; i < g.outputs.size(); ++i)
    if (v.oracle[0][i].dtype() == DType::kUndefined) names.push_back(g.value(g.outputs[i]).name);
  return names;
}

// What depends on a custom operator can be neither compared nor replayed here.
void adapt_to_custom_operators(const Graph& g, const std::vector<std::string>& outputs, ConvertOptions& o, Diagnostics& d) {
  std::string names, operators;
  for (const std::string& n : outputs) names += (names.empty() ? "'" : ", '") + n + "'";
  for (const std::string& n : custom_operators(g)) operators += (operators.empty() ? "" : ", ") + n;
  std::string note = "not compared with the fp32 model: " + names + ", which depend" + (outputs.size() == 1 ? "s" : "") + " on " +
                     operators + "; the blob has no golden vectors. Compare on the device";
  if (o.precision.mode == PrecisionMode::kAuto) {
    note += ". Layers are w8a16, because int8 could not be checked: --precision int8 asks for it";
    o.precision.mode = PrecisionMode::kW8A16;
  }
  o.golden = 0;
  d.warn(note);
}

// Layers behind a custom operator never saw data.
void add_unmeasured_layers(const Graph& g, std::vector<LayerReport>& layers) {
  std::set<NodeId> measured;
  for (const LayerReport& l : layers) measured.insert(l.node);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.dead || n.kind != OpKind::kLinear || measured.count(static_cast<NodeId>(i))) continue;
    const auto& dims = g.value(n.in(1)).constant->dims();
    layers.push_back({static_cast<NodeId>(i), n.origin.node, dims[0], dims[1], std::nan(""), ert::params::linear::kInt8});
  }
}

}  // namespace

ConvertResult convert_model(const std::string& path, const ConvertOptions& asked) {
  ConvertOptions o = asked;
  const ert::FloatMode float_mode;  // folded constants and calibration follow the runtime's rules (subnormals are zero)
  const auto stage = [&](const char* name, double fraction) {
    if (o.progress) o.progress(name, fraction);
  };
  ConvertResult r;
  Diagnostics d;
  stage("reading", 0.0);
  PreparedModel prepared = prepare_model(path, o.prepare, d);
  Graph g = std::move(prepared.graph);
  r.model = std::move(prepared.info);
  r.fusions = std::move(prepared.fusions);
  DimPlan dims = plan_dims(g, o.dims);
  if (!o.calibration_files.empty()) o.calibration = read_calibration(o.calibration_files, g, dims, d);
  // What an already quantized model is compared with: its weights as they are, its activations without their rounding.
  const Graph original = g;
  stage("fusing", 0.15);
  for (auto& count : run_passes(g, d).counts) r.fusions.push_back(std::move(count));
  d.check();
  find_minima(g, dims);

  LowerOptions options;
  options.dim_range = dims.range;
  for (const auto& [input, range] : dims.input_range) options.input_range[input] = range;
  options.int8_attention = options.int8_tables = o.precision.mode != PrecisionMode::kFp32;
  // Everything that cannot be lowered is known before the slow part.
  check_weights(g, d);
  const TargetProgram tried = lower(g, options, d);
  d.check();
  check_runtime_limits(tried);
  if (TargetProgram probe = tried; pack_rows(probe) && probe.packing->padding == 1)
    dims.ones_are_padding.insert(g.inputs[static_cast<size_t>(probe.packing->mask)]);

  std::map<NodeId, std::vector<float>> smooth;
  if (o.precision.mode != PrecisionMode::kFp32 || !o.precision.overrides.empty()) {
    stage("calibrating", 0.2);
    const auto calibration =
        o.calibration.empty() ? std::vector<std::vector<Tensor>>{synthetic_inputs(g, dims, {})} : o.calibration;
    for (const auto& set : calibration) check_interpreter_limits(g, set);
    smooth = with_inputs(o, [&] { return smoothing_factors(g, channel_ranges(g, calibration)); });
    stage("measuring layers", 0.4);
    r.layers = with_inputs(o, [&] {
      return measure_layers(g, {o.calibration.empty() ? synthetic_inputs(g, dims, {2, 32, false, 55}) : o.calibration[0]},
                            smooth);
    });
  }
  stage("running the fp32 reference", 0.5);
  const Validation validation = with_inputs(o, [&] { return make_validation(original, dims, o); });
  r.error_inputs = o.calibration.empty() ? "synthetic inputs" : "calibration inputs";

  r.not_compared = unknown_outputs(original, validation);
  if (!r.not_compared.empty()) adapt_to_custom_operators(original, r.not_compared, o, d);

  BlobMeta meta;
  meta.producer = std::string("edgeconv ") + kVersion;
  meta.source_sha256 = r.model.sha256;
  stage("choosing precisions", 0.6);
  if (!r.not_compared.empty() && o.precision.mode != PrecisionMode::kFp32) add_unmeasured_layers(g, r.layers);
  if (!r.layers.empty())
    choose_precision(o.precision, smooth, r.layers, options, [&](const LowerOptions& candidate) {
      return compare(build(g, candidate, meta, d), original, validation).canonical.worst_cosine();
    });
  r.int8_attention = options.int8_attention;
  r.int8_tables = options.int8_tables;

  stage("writing", 0.9);
  // Not before: what --padding says must not change the precision, and the bits with it.
  options.skip_padding = o.skip_padding;
  Tensor plain = build(g, options, meta, d, &r.ops);
  const Comparisons compared = with_inputs(o, [&] { return compare(plain, original, validation); });
  r.errors = compared.oracle.errors();
  ert_info built{};
  built.struct_size = sizeof built;
  ert_model_info(&open_own(plain)->model(), &built);
  r.skips_padding = built.skips_padding != 0;
  if (r.skips_padding) r.mask = original.value(original.inputs[built.mask_input]).name;
  std::vector<OutputError> judged = r.errors;  // as the precision was chosen: over all positions
  if (r.skips_padding) {
    LowerOptions computed = options;
    computed.skip_padding = false;
    judged = compare(build(g, computed, meta, d), original, validation).oracle.errors();
  }
  meta.golden = golden_vectors(plain, original, dims, o.golden);
  meta.certificate = certificate_json(r, o, compared.canonical.errors());
  r.blob = build(g, options, meta, d);
  open_own(r.blob);  // read back: what is written must open
  if (o.compress) {
    Tensor packed = compress_blob(r.blob);
    if (packed.bytes() < r.blob.bytes())
      r.packed = std::move(packed);
    else
      d.warn("--compress zstd: nothing became smaller; the blob is written uncompressed");
  }

  for (const TargetDim& dim : tried.dims) r.dims.push_back({dim.name, dim.min, dim.max});
  double worst = 1;
  for (const OutputError& e : judged) {
    worst = std::min(worst, e.cosine);
    if (e.cosine < kWarnCosine)
      d.warn("output '" + e.name + "' has cosine " + std::to_string(e.cosine) + " with the fp32 model on " + r.error_inputs +
             " (good: at least 0.999)");
  }
  r.warnings = d.warnings();
  if (worst < kFailCosine && !o.allow_accuracy_loss)
    throw FatalError(ExitCode::kAccuracy,
                     "the worst output has cosine " + std::to_string(worst) +
                         " with the fp32 model, below the gate of 0.99; nothing was written.\n"
                         "Try --precision auto, give real inputs with --calib, or accept it with --allow-accuracy-loss");
  stage("done", 1.0);
  return r;
}

}  // namespace edgeconv
