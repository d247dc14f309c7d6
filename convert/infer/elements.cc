// Symbolic contents through nodes that only move elements. Instead of one rule per operator, the canonical interpreter runs
// the operator on the positions 0, 1, 2, ... of its data inputs, and the positions in the result pick the symbolic integers.
#include "convert/infer/dispatch.h"
#include "convert/interp/interpreter.h"

namespace edgeconv {
namespace {

bool is_scatter_with_arithmetic(const Node& n) {
  const auto* s = std::get_if<ScatterAttrs>(&n.attrs);
  return s && s->reduction != 0;
}

}  // namespace

bool move_elements(NodeInference& c) {
  const Node& n = c.node();
  // The inputs that carry data; the others (indices, sizes, axes, conditions) must be known numbers.
  const uint32_t data = moved_inputs(n.kind);
  if (data == 0 || is_scatter_with_arithmetic(n)) return false;
  for (ValueId o : n.outputs) {  // a result too large to keep: do not compute it
    if (o == kNone) continue;
    const Value& v = c.graph().value(o);
    if (!v.shape || !is_static(*v.shape) || *shape_elements(*v.shape).constant() > kMaxElements) return false;
  }
  std::vector<DimExpr> pool;
  std::vector<Tensor> storage(n.inputs.size());
  std::vector<const Tensor*> inputs(n.inputs.size());
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    inputs[i] = &storage[i];
    if (!c.has(i)) continue;
    const bool is_data = moves_input(n.kind, i);
    if (!c.in(i).shape || !is_static(c.shape(i))) return false;
    std::vector<int64_t> dims;
    for (const DimExpr& d : c.shape(i)) dims.push_back(*d.constant());
    if (is_data) {
      const auto e = c.elements(i);
      if (!e) return false;
      std::vector<int64_t> positions(e->size());
      for (size_t k = 0; k < e->size(); ++k) positions[k] = static_cast<int64_t>(pool.size() + k);
      pool.insert(pool.end(), e->begin(), e->end());
      storage[i] = Tensor::ints(positions).reshaped(dims);
    } else if (c.in(i).constant) {
      storage[i] = *c.in(i).constant;
    } else {
      const auto k = c.ints(i);
      if (!k) return false;
      storage[i] = Tensor::ints(*k).reshaped(dims);
      if (c.in(i).dtype != DType::kInt64) storage[i] = storage[i].cast(c.in(i).dtype);
    }
  }
  std::vector<Tensor> moved;
  try {
    moved = evaluate_node(c.graph(), n, inputs, Backend::kCanonical);
  } catch (const FatalError&) {
    return false;  // the node's own checks report what is wrong
  }
  for (size_t o = 0; o < moved.size(); ++o) {
    std::vector<DimExpr> e;
    for (int64_t p : moved[o].to_int64()) e.push_back(pool[static_cast<size_t>(p)]);
    c.set_elements(o, std::move(e));
  }
  return true;
}

}  // namespace edgeconv
