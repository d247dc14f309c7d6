// See frame_axes.h.
#include "convert/dims/frame_axes.h"

namespace edgeconv {

namespace {

void add(const DimExpr& size, std::set<std::string>& to) {
  for (const std::string& name : size.symbols()) to.insert(name);
}

}  // namespace

AxesOfLayers axes_of_layers(const Graph& g) {
  AxesOfLayers axes;
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kConv && n.kind != OpKind::kRnn)) continue;
    const auto& x = g.value(n.in(0)).shape;
    if (!x || x->size() < 3) continue;
    if (n.kind == OpKind::kConv) {
      add(x->front(), axes.batch);
      for (size_t axis = 2; axis < x->size(); ++axis) add((*x)[axis], axes.along);
    } else {
      const bool batch_first = n.as<RnnAttrs>().layout;
      add((*x)[batch_first ? 0 : 1], axes.batch);
      add((*x)[batch_first ? 1 : 0], axes.along);
    }
  }
  return axes;
}

}  // namespace edgeconv
