// See zeros.h.
#include "convert/infer/zeros.h"

#include <algorithm>

namespace edgeconv {

bool is_zero(const Graph& g, ValueId v) {
  for (int depth = 0; depth < 16 && v != kNone; ++depth) {
    if (g.value(v).constant) {
      if (!is_float(g.value(v).dtype)) return false;
      const std::vector<float> all = g.value(v).constant->to_float();
      return std::all_of(all.begin(), all.end(), [](float x) { return x == 0.0f; });
    }
    const Node* p = g.producer(v);
    if (!p) return false;
    if (p->kind == OpKind::kConstantOfShape)
      return is_float(p->as<FillAttrs>().value.dtype()) && p->as<FillAttrs>().value.to_float().at(0) == 0.0f;
    if (!rearranges(p->kind)) return false;
    v = p->in(0);
  }
  return false;
}

}  // namespace edgeconv
