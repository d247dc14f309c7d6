// A lookup of rows in a constant table.
#include "convert/passes/match.h"

namespace edgeconv {

int pass_fuse_embedding(Graph& g, Diagnostics&) {
  int fused = 0;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kGather) continue;
    const Node n = g.nodes[i];
    const Value& table = g.value(n.in(0));
    const int64_t axis = n.as<AxisAttrs>().axis;
    if (!table.constant || table.constant->rank() != 2 || !is_float(table.dtype) || (axis != 0 && axis != -2) ||
        g.value(n.in(1)).constant || g.value(n.in(1)).rank() < 1)
      continue;
    redefine(g, n.outputs[0], OpKind::kEmbedding, {n.in(1), n.in(0)}, {}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
