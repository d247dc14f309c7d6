// The first half of a conversion, with placeholders for packed weights, and the fate of every node on the way.
#include "convert/report/model_inspection.h"

#include <set>

#include "convert/prepare/custom_operators.h"
#include "convert/prepare/cut_advice.h"
#include "convert/prepare/fixed_dims.h"
#include "convert/prepare/pinning_advice.h"
#include "convert/blob/blob.h"
#include "convert/blob/golden.h"
#include "convert/dims/fitting_sizes.h"
#include "convert/lower/build_program.h"
#include "convert/passes/pass.h"
#include "rt/base/float_mode.h"
#include "rt/ops/op.h"

namespace edgeconv {

namespace {

using Origins = std::set<std::pair<std::string, std::string>>;  // node, operator type

// What those kinds become.
bool is_fused(ert::params::OpCode c) {
  using ert::params::OpCode;
  switch (c) {
    case OpCode::kLinear:
    case OpCode::kConv:
    case OpCode::kDirectConv:
    case OpCode::kWideConv:
    case OpCode::kAttention:
    case OpCode::kRope:
    case OpCode::kGlu:
    case OpCode::kLayerNorm:
    case OpCode::kEmbedding:
    case OpCode::kMeanPool:
    case OpCode::kL2Normalize:
    case OpCode::kRecurrence: return true;
    default: return false;
  }
}

Origins origins(const Graph& g) {
  Origins all;
  for (const Node& n : g.nodes)
    if (!n.dead) all.emplace(n.origin.node, n.origin.op_type);
  return all;
}

Counts by_type(const Origins& nodes) {
  Counts counts;
  for (const auto& node : nodes) ++counts[node.second];
  return counts;
}

// Shape arithmetic whose result is known as expressions: no op runs it.
bool known(const Graph& g, const Node& n) {
  for (ValueId v : n.outputs)
    if (v != kNone && !g.value(v).elements && !g.value(v).constant) return false;
  return true;
}

// Operators of the file that are gone before the passes were computed or not needed; those that passes took became part of a
// fused op, or of none because only their layout mattered.
void sort_nodes(const Origins& imported, const Origins& prepared, const Graph& fused, ModelInspection& m) {
  Origins generic, folded, joined;
  for (const Node& n : fused.nodes)
    if (!n.dead && !is_fused(n.kind)) (known(fused, n) ? folded : generic).emplace(n.origin.node, n.origin.op_type);
  for (const auto& node : generic) folded.erase(node);  // an operator written with several nodes counts once
  for (const auto& node : imported) {
    if (generic.count(node) || folded.count(node)) continue;
    (prepared.count(node) ? joined : folded).insert(node);
  }
  m.generic_nodes = by_type(generic);
  m.folded_nodes = by_type(folded);
  m.fused_nodes = by_type(joined);
}

void estimate(const Graph& g, ModelInspection& m) {
  LowerOptions options = lower_options(m.dims);
  options.plan = int8_plan(g);
  const TargetProgram program = trial_program(g, options, m.diagnostics);
  for (const TargetOp& op : program.ops)
    ++(is_fused(op.code) ? m.fused_ops : m.generic_ops)[ert::find_op(static_cast<uint16_t>(op.code))->name];
  Tensor blob = write_blob(program, {});
  // As a conversion writes it by default: its golden vector takes RAM too, for ert_selftest.
  BlobMeta meta;
  if (custom_operators(g).empty()) meta.golden.push_back(golden_sizes(program, g, m.dims));
  if (!meta.golden.empty()) shorten(meta.golden[0], most_golden_bytes(blob.bytes()), 0);
  blob = write_blob(program, meta);
  m.estimate = {blob.bytes(), program.packing ? program.inputs[static_cast<size_t>(program.packing->mask)].name : "",
                memory_table(blob, {})};
}

std::vector<BoundaryValue> boundary(const Graph& g, const std::vector<ValueId>& values) {
  std::vector<BoundaryValue> all;
  for (ValueId v : values)
    all.push_back({g.value(v).name, std::string(dtype_name(g.value(v).dtype)),
                   g.value(v).shape ? shape_str(*g.value(v).shape) : "unknown"});
  return all;
}

void plan(ImportedModel imported, const std::map<std::string, int64_t>& dims, const PrepareOptions& options, ModelInspection& m) {
  const Origins at_first = origins(imported.graph);
  PreparedModel prepared = prepare_model(std::move(imported), options, m.diagnostics);
  m.inputs = boundary(prepared.graph, prepared.graph.inputs);
  m.outputs = boundary(prepared.graph, prepared.graph.outputs);
  check_dims_vary(prepared.graph, prepared.info, dims);
  m.dims = plan_dims(prepared.graph, dims);
  const Origins before = origins(prepared.graph);
  run_passes(prepared.graph, m.diagnostics);
  m.diagnostics.check();
  prepared.graph.release_unused_constants();
  find_minima(prepared.graph, m.dims);
  check_finite_weights(prepared.graph, m.diagnostics);
  sort_nodes(at_first, before, prepared.graph, m);
  try {
    estimate(prepared.graph, m);
  } catch (const FatalError&) {
    advise_pinning(prepared.graph, m.diagnostics);
    advise_outputs(prepared.info.file.get(), m.diagnostics);
    throw;
  }
}

}  // namespace

ModelInspection inspect_model(const std::string& path, const std::map<std::string, int64_t>& dims,
                              const PrepareOptions& options) {
  const ert::FloatMode float_mode;
  ModelInspection m;
  ImportedModel imported = import_model(path, m.diagnostics, {options.custom_ops, options.pinning, dims});
  m.info = imported.info;
  m.inputs = boundary(imported.graph, imported.graph.inputs);
  m.outputs = boundary(imported.graph, imported.graph.outputs);
  try {
    plan(std::move(imported), dims, options, m);
  } catch (const FatalError& e) {
    if (m.diagnostics.malformed_file() || (e.code() == ExitCode::kUsage && !dims.empty())) throw;
    if (m.diagnostics.ok()) m.stopped = e.what();
  }
  return m;
}

}  // namespace edgeconv
