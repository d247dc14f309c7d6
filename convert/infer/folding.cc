// Evaluation by the canonical interpreter, within a budget.
#include "convert/infer/folding.h"

#include <algorithm>
#include <optional>

#include "convert/infer/dispatch.h"
#include "convert/interp/interpreter.h"
#include "convert/interp/work.h"

namespace edgeconv {

namespace {

constexpr int64_t kMaxFoldedBytes = int64_t{64} << 20;  // of one node that makes much of little
// Of a whole graph. What exporters leave to fold (casts and transposes of weights, masks, positions) is little altogether, or takes
// a few bytes and a few nanoseconds for each byte of the file; a hostile file chains nodes that cost the most each.
constexpr FoldBudget kLeast = {2e9, 256e6};
constexpr double kWorkPerByte = 50, kBytesPerByte = 8;

bool all_inputs_constant(const Graph& g, const Node& n) {
  for (ValueId v : n.inputs) {
    if (v != kNone && !g.value(v).is_constant()) return false;
  }
  return true;
}

// 8-bit weights stay as they are: the quantized import takes the integers from the node (passes/).
bool keeps_quantized_weights(const Graph& g, const Node& n) {
  if (n.kind != OpKind::kDequantizeLinear || n.in(0) == kNone) return false;
  const Value& x = g.value(n.in(0));
  return dtype_size(x.dtype) == 1 && x.rank() >= 1;
}

// Nothing where a size is not known.
std::optional<int64_t> bytes_of_results(const Graph& g, const Node& n) {
  int64_t all = 0;
  for (ValueId v : n.outputs) {
    if (v == kNone || !g.value(v).shape) continue;
    int64_t bytes = static_cast<int64_t>(dtype_size(g.value(v).dtype));
    for (const DimExpr& d : *g.value(v).shape) {
      if (!d.constant() || *d.constant() < 0 || __builtin_mul_overflow(bytes, *d.constant(), &bytes)) return {};
    }
    if (__builtin_add_overflow(all, bytes, &all)) return {};
  }
  return all;
}

// A small constant is not blown up: the bytes of the results against the limit and the inputs.
bool too_large_to_fold(const Graph& g, const Node& n) {
  const auto out = bytes_of_results(g, n);
  int64_t in = 0;
  for (ValueId v : n.inputs) {
    if (v != kNone && g.value(v).constant) in += static_cast<int64_t>(g.value(v).constant->bytes());
  }
  return !out || (*out > kMaxFoldedBytes && *out > 2 * in);
}

}  // namespace

void become_constant(Graph& g, ValueId v, Tensor t) {
  Value& x = g.value(v);
  x.dtype = t.dtype();
  x.shape = Shape(t.dims().begin(), t.dims().end());
  x.elements.reset();
  if (is_integer(t.dtype()) && t.elements() <= kMaxElements) {
    const std::vector<int64_t> c = t.to_int64();
    x.elements.emplace(c.begin(), c.end());
  }
  x.constant = std::move(t);
  x.producer = kNone;
}

namespace {

// The integers behind a quantized weight follow it through Transpose, as in Gemm with transB.
void carry_quantized_weights(Graph& g, const Node& n) {
  if (n.in(0) == kNone || !g.value(n.in(0)).quantized) return;
  const auto q = g.value(n.in(0)).quantized;
  if (n.kind == OpKind::kIdentity) g.value(n.outputs[0]).quantized = q;
  if (n.kind == OpKind::kTranspose) g.value(n.outputs[0]).quantized = transposed_codes(*q, n.as<TransposeAttrs>().perm);
}

// Takes the cost of this node out of what is left; false, and a warning, where it is more.
bool pay(Graph& g, const Node& n, InferLog& log) {
  FoldBudget& left = *g.fold_budget;
  const double work = node_work(g, n, {}), bytes = static_cast<double>(bytes_of_results(g, n).value_or(0));
  if (work > left.work || bytes > left.bytes) {
    log.warnings.push_back(
        "'" + n.origin.node + "' (" + n.origin.op_type +
        ") depends on nothing but constants, but computing it now would take too much time or memory: the blob "
        "computes it in every run, if it can");
    return false;
  }
  left.work -= work;
  left.bytes -= bytes;
  return true;
}

// Tensors share their memory.
bool share_folded(Graph& g, Node& n, const InferLog& log) {
  const auto alike = log.folded.find({n.kind, n.inputs});
  if (alike == log.folded.end()) return false;
  for (const FoldedNode& other : alike->second) {
    const auto is_there = [&](ValueId v) { return v == kNone || g.value(v).constant; };
    if (other.outputs.size() != n.outputs.size() || !(other.attrs == n.attrs) ||
        !std::all_of(other.outputs.begin(), other.outputs.end(), is_there))
      continue;
    for (size_t o = 0; o < n.outputs.size(); ++o) {
      if (n.outputs[o] == kNone) continue;
      if (other.outputs[o] == kNone) return false;
      become_constant(g, n.outputs[o], *g.value(other.outputs[o]).constant);
    }
    carry_quantized_weights(g, n);
    n.dead = true;
    return true;
  }
  return false;
}

}  // namespace

FoldBudget fold_budget(const Graph& g) {
  FoldBudget b = kLeast;
  for (const Value& v : g.values) {
    if (!v.constant) continue;
    b.work += kWorkPerByte * static_cast<double>(v.constant->bytes());
    b.bytes += kBytesPerByte * static_cast<double>(v.constant->bytes());
  }
  return b;
}

bool fold(Graph& g, Node& n, InferLog& log) {
  if (n.kind == OpKind::kCustom || !can_evaluate(n.kind) || !all_inputs_constant(g, n) || keeps_quantized_weights(g, n) ||
      too_large_to_fold(g, n) || !pay(g, n, log))
    return false;
  if (share_folded(g, n, log)) return true;
  std::vector<const Tensor*> inputs;
  const Tensor absent;
  for (ValueId v : n.inputs) inputs.push_back(v == kNone ? &absent : &*g.value(v).constant);
  try {
    std::vector<Tensor> results = evaluate_node(g, n, inputs, Backend::kCanonical);
    if (results.size() < n.outputs.size())
      throw FatalError(ExitCode::kMalformed, "'" + printable(n.origin.node) + "' has " + std::to_string(n.outputs.size()) +
                                                 " outputs, the operator gives " + std::to_string(results.size()));
    for (size_t o = 0; o < n.outputs.size(); ++o) {
      if (n.outputs[o] != kNone) become_constant(g, n.outputs[o], std::move(results.at(o)));
    }
    carry_quantized_weights(g, n);
    if (n.kind != OpKind::kIf && n.kind != OpKind::kLoop) log.folded[{n.kind, n.inputs}].push_back({n.attrs, n.outputs});
  } catch (const FatalError& e) {
    if (e.code() != ExitCode::kMalformed && e.code() != ExitCode::kUnsupported) throw;  // memory, work
    const bool malformed = e.code() == ExitCode::kMalformed;
    log.problems.push_back({n.origin.op_type, n.origin.node, "", e.what(), malformed ? "" : "the operator is not supported in this form", malformed});
    return false;
  }
  n.dead = true;
  return true;
}

}  // namespace edgeconv
