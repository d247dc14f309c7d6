// Choices that are written as arithmetic become Where, which the passes for masks know.
#include "convert/passes/match.h"
#include "convert/passes/select.h"

namespace edgeconv {

int pass_fuse_select(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBinary) continue;
    const Node n = g.nodes[i];
    const auto select = match_select(g, n.outputs[0]);
    if (!select) continue;
    redefine(g, n.outputs[0], OpKind::kWhere, {select->condition, select->yes, select->no}, {}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
