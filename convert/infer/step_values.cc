// See step_values.h.
#include "convert/infer/step_values.h"

namespace edgeconv {

std::optional<Rows> rows_of(const Graph& g, ValueId v) {
  if (v == kNone || !g.value(v).shape || g.value(v).shape->empty()) return {};
  Shape rows = *g.value(v).shape;
  const DimExpr columns = rows.back();
  rows.pop_back();
  return Rows{shape_elements(rows), columns};
}

namespace {

bool is_filled_with_ones(const Graph& g, ValueId v) {
  const Node* p = g.producer(v);
  if (!p || p->kind != OpKind::kConstantOfShape) return false;
  const Tensor& value = p->as<FillAttrs>().value;
  return is_float(value.dtype()) && value.to_float().at(0) == 1.0f;
}

// What a product with ones leaves as it is: the dropout of a Keras cell outside of training.
ValueId times_ones(const Graph& g, const Node& n, ValueId product) {
  if (n.kind != OpKind::kBinary || n.as<BinaryAttrs>().kind != ert::params::binary::kMul) return kNone;
  for (size_t i = 0; i < 2; ++i) {
    const Value& other = g.value(n.in(1 - i));
    if (is_filled_with_ones(g, n.in(i)) && other.shape && other.shape == g.value(product).shape) return n.in(1 - i);
  }
  return kNone;
}

}  // namespace

ValueId same_rows(const Graph& g, ValueId v) {
  for (const Node* p = g.producer(v); p; p = g.producer(v)) {
    const bool cast_to_itself = p->kind == OpKind::kCast && g.value(p->in(0)).dtype == g.value(v).dtype;
    const bool view = only_reshapes(p->kind) && rows_of(g, v) && rows_of(g, p->in(0)) == rows_of(g, v);
    const ValueId factor = times_ones(g, *p, v);
    if (p->kind != OpKind::kIdentity && !cast_to_itself && !view && factor == kNone) break;
    v = factor != kNone ? factor : p->in(0);
  }
  return v;
}

std::optional<float> single_number(const Graph& g, ValueId v) {
  const Value& x = g.value(v);
  if (!x.constant || x.constant->elements() != 1 || !is_float(x.dtype)) return {};
  return x.constant->to_float()[0];
}

}  // namespace edgeconv
