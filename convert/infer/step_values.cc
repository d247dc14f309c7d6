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

ValueId same_rows(const Graph& g, ValueId v) {
  for (const Node* p = g.producer(v); p; p = g.producer(v)) {
    const bool cast_to_itself = p->kind == OpKind::kCast && g.value(p->in(0)).dtype == g.value(v).dtype;
    const bool view = only_reshapes(p->kind) && rows_of(g, v) && rows_of(g, p->in(0)) == rows_of(g, v);
    if (p->kind != OpKind::kIdentity && !cast_to_itself && !view) break;
    v = p->in(0);
  }
  return v;
}

std::optional<float> single_number(const Graph& g, ValueId v) {
  const Value& x = g.value(v);
  if (!x.constant || x.constant->elements() != 1 || !is_float(x.dtype)) return {};
  return x.constant->to_float()[0];
}

}  // namespace edgeconv
