// Import, inference, boundary, quantized import, with the diagnosis of common export mistakes in between.
#include "convert/prepare/prepare.h"

#include <algorithm>

#include "convert/dims/multiple_dims.h"
#include "convert/prepare/as_quantized.h"
#include "convert/prepare/custom_operators.h"
#include "convert/prepare/cut_advice.h"
#include "convert/lower/missing_ops.h"
#include "convert/infer/infer.h"
#include "convert/passes/pass.h"
#include "convert/prepare/diagnosis.h"
#include "convert/prepare/pinning_advice.h"

namespace edgeconv {

int pass_select_quantized_branches(Graph& g, Diagnostics& d);
int pass_fold_dequantize(Graph& g, Diagnostics& d);

namespace {

constexpr PassDef kDequantizing[] = {{"select_quantized_branches", pass_select_quantized_branches}, {"fold_dequantize", pass_fold_dequantize}};

// The types that the file declares for its outputs must be those of the values. Half precision may be mixed with single.
void check_output_types(const Graph& g, const std::vector<DType>& declared, Diagnostics& d) {
  for (size_t i = 0; i < declared.size() && i < g.outputs.size(); ++i) {
    const Value& v = g.value(g.outputs[i]);
    if (declared[i] == DType::kUndefined || v.dtype == DType::kUndefined || declared[i] == v.dtype ||
        (is_float(declared[i]) && is_float(v.dtype)))
      continue;
    const Node* maker = g.producer(g.outputs[i]);
    d.malformed("the graph output '" + v.name + "' is declared " + std::string(dtype_name(declared[i])) + ", but " +
                (maker ? "node '" + maker->origin.node + "' (" + maker->origin.op_type + ") gives " : "it is ") +
                std::string(dtype_name(v.dtype)));
  }
}

// Throws what is malformed at any sizes: the file is to blame for that, and no size of --fix helps.
void check_without_sizes(const std::string& path, const PrepareOptions& o) {
  Pinning pinning = o.pinning;
  pinning.dims.clear();
  Diagnostics d;
  try {
    ImportedModel m = import_model(path, d, {o.custom_ops, pinning, o.most_dims});
    if (!d.malformed_file()) infer(m.graph, d);
  } catch (const FatalError&) {
    return;  // not to be looked at without the sizes: a constant input may need them
  }
  if (d.malformed_file()) d.check();
}

bool rounds_activations(const Graph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [](const Node& n) { return !n.dead && n.kind == OpKind::kQuantizeLinear; });
}

}  // namespace

PreparedModel prepare_model(const std::string& path, const PrepareOptions& o, Diagnostics& d) {
  return prepare_model(import_model(path, d, {o.custom_ops, o.pinning, o.most_dims}), o, d);
}

PreparedModel prepare_model(ImportedModel imported, const PrepareOptions& o, Diagnostics& d) {
  std::shared_ptr<const Graph> ignored;
  return prepare_model(std::move(imported), o, d, ignored);
}

PreparedModel prepare_model(ImportedModel imported, const PrepareOptions& o, Diagnostics& d, std::shared_ptr<const Graph>& as_quantized) {
  if (d.malformed_file()) d.check();
  PreparedModel m{std::move(imported.graph), std::move(imported.info), {}, o.raw_inputs, {}, {}, std::move(imported.files)};
  diagnose_file(m.graph, d);
  if (!o.pinning.dims.empty()) d.blame_sizes(pinned_list(o.pinning.dims, {}));
  infer(m.graph, d);
  if (!d.ok()) {
    if (d.malformed_file() && !o.pinning.dims.empty()) check_without_sizes(m.info.path, o);
    advise_pinning(m.graph, d);
    if (!d.malformed_file()) {
      add_remaining_problems(m.graph, d);  // a user sees everything at once
      advise_outputs(m.info.file.get(), d);
    }
    d.check();
  }
  d.blame_sizes("");
  check_output_types(m.graph, m.info.output_types, d);
  d.check();
  diagnose_graph(m.graph, d);
  m.graph.remove_dead();  // what no output needs must not ask for sizes, nor be computed for the reference
  join_outputs(m.graph, o.joins);
  if (expose_float32(m.graph, d) || !o.joins.empty()) infer(m.graph, d);
  if (!m.raw_inputs.empty()) {
    take_raw_inputs(m.graph, m.raw_inputs, m.info);
    infer(m.graph, d);
  }
  if (o.task && d.ok()) {
    m.task = *o.task;
    m.text_inputs = find_text_inputs(m.graph);
    give_task_output(m.graph, m.text_inputs, m.task);
    infer(m.graph, d);
  }
  d.check();
  name_multiples(m.graph, d);
  d.check();
  const std::vector<std::string> custom = custom_operators(m.graph);
  for (const std::string& asked : o.custom_ops)
    if (std::find(custom.begin(), custom.end(), asked) == custom.end())
      d.warn("--custom-op " + asked + ": the model has no such operator, or has its body as a function");
  const PassOptions pass_options{kDebugBuild, o.trace};
  if (rounds_activations(m.graph)) {
    // Both graphs share the weights.
    m.fusions = run_pass_list(kDequantizing, m.graph, d, pass_options).counts;
    as_quantized = std::make_shared<Graph>(m.graph);
  }
  for (auto& [name, n] : run_quantized_import(m.graph, d, pass_options).counts) {
    const auto before = std::find_if(m.fusions.begin(), m.fusions.end(), [&](const auto& f) { return f.first == name; });
    if (before == m.fusions.end())
      m.fusions.emplace_back(std::move(name), n);
    else
      before->second += n;
  }
  d.check();
  return m;
}

std::string parse_custom_op(const std::string& text) {
  const size_t colons = text.find("::");
  if (colons == std::string::npos || colons == 0 || colons + 2 == text.size())
    throw FatalError(ExitCode::kUsage, "--custom-op " + text + ": write DOMAIN::NAME, for example --custom-op my.ops::Inverse2");
  return text;
}

}  // namespace edgeconv
