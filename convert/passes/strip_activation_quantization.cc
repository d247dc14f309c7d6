// DequantizeLinear of QuantizeLinear with the same scale is its input again: activations are fp32 here, and a Linear chooses
// the range of each row itself. One thing that a quantization may do besides rounding is kept: ONNX Runtime's quantizer drops a
// Relu or Clip(0, c) whose result it quantizes with the zero point at the lower end, because saturation does the same. Where it
// clips other values, precision/kept_saturation.h has put that in front of it.
#include <limits>

#include "convert/passes/quantized_source.h"
#include "convert/passes/saturation.h"

namespace edgeconv {

namespace {

bool strip(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto scale = scalar_constant(g, n.in(1));
  const auto source = quantized_source(g, n.in(0), scale && *scale > 0);
  if (!source) return false;
  if (const Node* q = producer_of_kind(g, source->base, OpKind::kDynamicQuantizeLinear)) {
    if (q->outputs[1] != n.in(1) || q->outputs[2] != n.in(2)) return false;
    redefine(g, n.outputs[0], OpKind::kIdentity, {repeat_movement(g, *source, q->in(0))}, {}, n.origin);
    return true;
  }
  const Node* q = producer_of_kind(g, source->base, OpKind::kQuantizeLinear);
  if (!q || !same_value(g, q->in(1), n.in(1)) || !same_value(g, q->in(2), n.in(2))) return false;
  const bool per_tensor = g.value(n.in(1)).constant && g.value(n.in(1)).constant->elements() == 1;
  if (!per_tensor && !source->movement.empty()) return false;
  ValueId x = q->in(0);
  constexpr float kNoEnd = std::numeric_limits<float>::infinity();
  if (const auto activation = dropped_activation(g, *q)) x = clipped(g, x, {0, activation->at.value_or(kNoEnd)}, Origin(q->origin));
  redefine(g, n.outputs[0], OpKind::kIdentity, {repeat_movement(g, *source, x)}, {}, n.origin);
  return true;
}

}  // namespace

int pass_strip_activation_quantization(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kDequantizeLinear, [&](NodeId id) { return strip(g, id); });
}

}  // namespace edgeconv
