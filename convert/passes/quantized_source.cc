// Walks from a quantized tensor to its quantization.
#include "convert/passes/quantized_source.h"

namespace edgeconv {

namespace {
constexpr size_t kMaxMovement = 16;
}  // namespace

std::optional<QuantizedSource> quantized_source(const Graph& g, ValueId v, bool through_pools) {
  QuantizedSource s;
  while (s.movement.size() <= kMaxMovement) {
    if (v == kNone) return {};
    if (g.value(v).constant) {
      s.base = v;
      return s;
    }
    const Node* p = g.producer(v);
    if (!p || p->dead) return {};
    if (p->kind == OpKind::kQuantizeLinear || (p->kind == OpKind::kDynamicQuantizeLinear && p->outputs[0] == v)) {
      s.base = v;
      return s;
    }
    const bool picks = through_pools && p->kind == OpKind::kMaxPool;
    if ((!rearranges(p->kind) && !picks) || p->outputs.size() != 1) return {};
    s.movement.push_back(id_of(g, *p));
    v = p->in(0);
  }
  return {};
}

ValueId repeat_movement(Graph& g, const QuantizedSource& s, ValueId x) {
  for (size_t i = s.movement.size(); i-- > 0;) {
    const Node n = g.node(s.movement[i]);
    std::vector<ValueId> inputs = n.inputs;
    inputs[0] = x;
    const DType t = g.value(x).dtype;
    x = g.add_node(n.kind, std::move(inputs), n.attrs, n.origin);
    g.value(x).dtype = t;
    g.value(x).shape = g.value(n.outputs[0]).shape;
  }
  return x;
}

bool same_value(const Graph& g, ValueId a, ValueId b) {
  if (a == b) return true;
  if (a == kNone || b == kNone || !g.value(a).constant || !g.value(b).constant) return false;
  const Tensor &x = *g.value(a).constant, &y = *g.value(b).constant;
  return x.elements() == y.elements() && x.dtype() == y.dtype() && x.to_float() == y.to_float();
}

}  // namespace edgeconv
