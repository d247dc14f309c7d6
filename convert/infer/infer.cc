// The driver of inference: rounds over the nodes in order until no dim is united or found to be larger than it was known to be,
// nothing folds and nothing is inlined.
#include "convert/infer/infer.h"

#include <algorithm>

#include "convert/infer/dispatch.h"
#include "convert/infer/folding.h"
#include "convert/infer/inline_bodies.h"
#include "convert/infer/lists.h"
#include "convert/infer/types.h"
#include "convert/ir/dim_terms.h"

namespace edgeconv {
namespace {

constexpr int kMaxRounds = 64;

bool inputs_known(const Graph& g, const Node& n) {
  for (ValueId v : n.inputs) {
    if (v == kNone) continue;
    if (!g.value(v).shape || g.value(v).dtype == DType::kUndefined) return false;
  }
  return true;
}

// A value whose contents are all numbers becomes a constant, and its node goes when no output needs it.
bool settle(Graph& g, Node& n) {
  bool all = true, any = false;
  for (ValueId v : n.outputs) {
    if (v == kNone) continue;
    Value& x = g.value(v);
    if (x.constant) continue;
    const bool numbers = x.elements && x.shape && is_static(*x.shape) && x.dtype != DType::kUndefined &&
                         std::all_of(x.elements->begin(), x.elements->end(), [](const DimExpr& e) { return e.is_constant(); });
    if (!numbers) {
      all = false;
      continue;
    }
    std::vector<int64_t> c, dims;
    for (const DimExpr& e : *x.elements) c.push_back(*e.constant());
    for (const DimExpr& d : *x.shape) dims.push_back(*d.constant());
    Tensor t = Tensor::ints(c).reshaped(dims);
    become_constant(g, v, t.dtype() == x.dtype ? t : t.cast(x.dtype));
    any = true;
  }
  if (all && any) n.dead = true;
  return any;
}

void clear_outputs(Graph& g, const Node& n) {
  for (ValueId v : n.outputs) {
    if (v == kNone || g.value(v).constant) continue;
    g.value(v).shape.reset();
    g.value(v).elements.reset();
  }
}

// Outputs are as the file declares them; the others are taken to be like the first input.
void infer_custom(Graph& g, const Node& n, InferLog& log) {
  const CustomAttrs& a = n.as<CustomAttrs>();
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] == kNone || (i < a.declared.size() && a.declared[i]) || n.in(0) == kNone) continue;
    Value& y = g.value(n.outputs[i]);
    if (y.dtype == DType::kUndefined) y.dtype = g.value(n.in(0)).dtype;
    y.shape = g.value(n.in(0)).shape;
    log.warnings.push_back("custom operator '" + n.origin.node + "': the file does not declare the shape of '" + y.name +
                           "'; it is taken to be that of '" + g.value(n.in(0)).name +
                           "' (value_info with dims of the inputs says otherwise)");
  }
}

// An output with a size below zero, whatever the dims are.
ValueId negative_size(const Graph& g, const Node& n) {
  for (ValueId v : n.outputs) {
    if (v == kNone || !g.value(v).shape) continue;
    for (const DimExpr& d : *g.value(v).shape)
      if (d.constant() && *d.constant() < 0) return v;
  }
  return kNone;
}

// True when something changed that earlier nodes may profit from.
bool infer_one(Graph& g, NodeId id, DimsUnion& dims, InferLog& log) {
  Node& n = g.node(id);
  const bool known = inputs_known(g, n);
  if (n.kind == OpKind::kCustom) {
    if (known) infer_custom(g, n, log);
    return false;
  }
  clear_outputs(g, n);
  if (!known) return false;
  NodeInference c(g, id, dims, log);
  if (const std::string fault = type_fault(g, n); !fault.empty()) {
    c.invalid(fault);
    return false;
  }
  if (const std::string fault = list_fault(g, n); !fault.empty()) {
    c.invalid(fault);
    return false;
  }
  const size_t problems = log.problems.size();
  infer_function(n.kind)(c);
  if (log.problems.size() > problems && log.problems.back().malformed) return false;
  if (const ValueId v = negative_size(g, g.node(id)); v != kNone) {
    c.invalid("its output '" + g.value(v).name + "' has a negative size: " + shape_str(*g.value(v).shape));
    return false;
  }
  if (settle(g, g.node(id))) return true;
  return !g.node(id).dead && fold(g, g.node(id), log);
}

void check_inputs(const Graph& g, InferLog& log) {
  for (ValueId v : g.inputs) {
    const Value& x = g.value(v);
    if (x.shape && x.dtype != DType::kUndefined) continue;
    log.problems.push_back({"input", x.name, "", "the graph input has no declared rank or type",
                            "re-export with shapes of inputs (dynamic axes are fine)"});
  }
}

void report(const InferLog& last, const std::vector<std::string>& warnings, Diagnostics& d) {
  for (const std::string& w : warnings) d.warn(w);
  for (const Problem& p : last.problems) {
    if (p.malformed)
      d.malformed("node '" + p.where + "' (" + p.op + (p.detail.empty() ? "" : " of " + p.detail) + "): " + d.blame(p.reason, p.hint));
    else
      d.unsupported(p);
  }
}

// Shapes before and after, for InferResult::changed.
size_t known_shapes(const Graph& g) {
  return static_cast<size_t>(std::count_if(g.values.begin(), g.values.end(), [](const Value& v) { return v.shape.has_value(); }));
}

void tell_import_problems(Graph& g, Diagnostics& d) {
  for (const Problem& p : g.import_problems) d.unsupported(p);
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kIf && n.kind != OpKind::kLoop)) continue;
    for (const auto& body : n.as<SubgraphAttrs>().bodies) tell_import_problems(*body, d);
  }
}

// What folding leaves behind of each weight (its transposed form, then that in another type) would take as much memory as the file several
// times over.
constexpr double kFoldedBetweenReleases = 16e6;

void release_folded(Graph& g, double& left_before) {
  if (left_before - g.fold_budget->bytes < kFoldedBetweenReleases) return;
  left_before = g.fold_budget->bytes;
  g.release_unused_constants();
}

// What is left unsaid for small dims only, such as (N - 400) / 160 windows of N samples, is not worth a refusal: the dims then begin where it is
// said. For when nothing else changes any more. True when a dim was found to be larger than it was known to be.
bool assume_signs(Graph& g, const InferLog& log, std::vector<std::string>& warnings) {
  bool any = false;
  for (const auto& [e, where] : log.unknown_signs) {
    const LeastDims before = g.least_dims;
    note_positive(e + DimExpr(1), g.least_dims);
    if (g.least_dims == before) continue;
    any = true;
    const std::string dim = e.symbols().front();
    warnings.push_back("dim '" + dim + "' begins at " + std::to_string(g.least_dims.at(dim)) + ": below it " + e.str() +
                       " is negative, and what " + where + " makes of that is no size that could be planned");
  }
  return any;
}

struct GraphInference {
  InferResult result;
  InferLog log;  // problems of the last round, warnings of all
};

GraphInference infer_graph(Graph& g, Diagnostics& d, bool is_body) {
  InferResult result;
  const size_t before = known_shapes(g);
  std::vector<std::string> warnings;
  InferLog log;
  if (!g.sort()) {
    d.malformed("the graph has a cycle");
    return {};
  }
  if (!g.fold_budget) g.fold_budget = fold_budget(g);
  if (!g.brought_parameters) g.brought_parameters = parameters_with_bodies(g);
  double left = g.fold_budget->bytes;
  for (int round = 0; round < kMaxRounds; ++round) {
    log = {};
    check_inputs(g, log);
    DimsUnion dims(g);
    const LeastDims least = g.least_dims;
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes[i].dead) continue;
      try {
        result.changed |= infer_one(g, static_cast<NodeId>(i), dims, log);
      } catch (const dim_terms::TooComplex& e) {
        throw FatalError(e.code(), "'" + printable(g.nodes[i].origin.node) + "' (" + std::string(op_name(g.nodes[i].kind)) + "): " + e.what());
      }
      release_folded(g, left);
    }
    warnings.insert(warnings.end(), log.warnings.begin(), log.warnings.end());
    const bool settled = !dims.changed() && g.least_dims == least;
    const bool again = inline_decided_bodies(g, settled) > 0 || !settled || inline_only_branches(g) > 0;
    result.changed |= again;
    if (!again && (is_body || log.problems.empty() || !assume_signs(g, log, warnings))) break;
  }
  result.changed |= known_shapes(g) != before;
  g.sort();
  g.equalities = log.equalities;
  log.warnings = std::move(warnings);
  return {result, std::move(log)};
}

}  // namespace

InferResult infer(Graph& g, Diagnostics& d) {
  const GraphInference done = infer_graph(g, d, false);
  report(done.log, done.log.warnings, d);
  tell_import_problems(g, d);
  return done.result;
}

InferLog infer_body_graph(Graph& g) {
  Diagnostics d;  // of cycles, which the import has found
  return infer_graph(g, d, true).log;
}

}  // namespace edgeconv
