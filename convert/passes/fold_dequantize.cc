// DequantizeLinear of a constant becomes an fp32 constant that remembers the file's integers, when they fit symmetric int8:
// quantized weights are then packed as they are. Of rows gathered from a quantized table: the table is dequantized instead.
#include "convert/interp/interpreter.h"
#include "convert/ir/axis.h"
#include "convert/passes/quantized_source.h"

namespace edgeconv {

namespace {

// Names of the weights whose integers could not be kept exactly.
struct Report {
  std::vector<std::string> clamped, again;
};

void warn(const std::vector<std::string>& weights, const char* what, Diagnostics& d) {
  if (weights.empty()) return;
  const std::string more = weights.size() > 1 ? " and " + std::to_string(weights.size() - 1) + " more" : "";
  d.warn("quantized weight '" + weights[0] + "'" + more + ": " + what);
}

// Only matrices are packed as integers; biases and norms are fp32.
void remember_codes(Graph& g, const Node& n, ValueId result, Report& report) {
  const Tensor& x = *g.value(n.in(0)).constant;
  const auto& a = n.as<QuantAttrs>();
  if (x.rank() < 2 || a.block > 0) return;
  const std::vector<float> scale = g.value(n.in(1)).constant->to_float();
  const std::vector<int64_t> zero = n.in(2) == kNone ? std::vector<int64_t>() : g.value(n.in(2)).constant->to_int64();
  const int64_t axis = scale.size() == 1 ? 0 : from_front(a.axis, x.rank());
  CodesFit fit = CodesFit::kNot;
  g.value(result).quantized = symmetric_codes(x, scale, zero, static_cast<size_t>(axis), &fit);
  if (fit == CodesFit::kClamped) report.clamped.push_back(g.value(n.in(0)).name);
  if (fit == CodesFit::kNot) report.again.push_back(g.value(n.in(0)).name);
}

bool fold(Graph& g, const Node& n, Report& report) {
  std::vector<const Tensor*> inputs;
  const Tensor absent;
  for (ValueId v : n.inputs) {
    if (v != kNone && !g.value(v).constant) return false;
    inputs.push_back(v == kNone ? &absent : &*g.value(v).constant);
  }
  const ValueId c = g.add_constant(g.value(n.in(0)).name + "/fp32", evaluate_node(g, n, inputs, Backend::kCanonical)[0]);
  remember_codes(g, n, c, report);
  redefine(g, n.outputs[0], OpKind::kIdentity, {c}, {}, n.origin);
  return true;
}

// DQ(movement(table)) = movement(DQ(table)), for one scale for all elements.
bool move_before_gather(Graph& g, const Node& n) {
  const auto source = quantized_source(g, n.in(0));
  if (!source || source->movement.empty() || !g.value(source->base).constant || g.value(source->base).rank() < 1) return false;
  if (!g.value(n.in(1)).constant || g.value(n.in(1)).constant->elements() != 1) return false;
  std::vector<ValueId> inputs = n.inputs;
  inputs[0] = source->base;
  const ValueId table = g.add_node(OpKind::kDequantizeLinear, std::move(inputs), n.attrs, n.origin);
  g.value(table).dtype = DType::kFloat;
  g.value(table).shape = g.value(source->base).shape;
  const ValueId moved = repeat_movement(g, *source, table);
  redefine(g, n.outputs[0], OpKind::kIdentity, {moved}, {}, n.origin);
  return true;
}

}  // namespace

int pass_fold_dequantize(Graph& g, Diagnostics& d) {
  int folded = 0;
  Report report;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kDequantizeLinear) continue;
    const Node n = g.nodes[i];
    folded += fold(g, n, report) || move_before_gather(g, n);
  }
  warn(report.clamped, "holds -128, which becomes -127 where its layer is int8", d);
  warn(report.again, "the zero point does not fit symmetric int8: where its layer is int8 it is quantized again", d);
  return folded;
}

}  // namespace edgeconv
