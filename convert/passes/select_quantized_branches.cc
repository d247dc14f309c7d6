// Branches with quantized nodes are selected before the passes for quantized models, which look at nodes of the graph only: the weights of a branch may be
// its own or the graph's.
#include <algorithm>

#include "convert/passes/match.h"
#include "convert/passes/select_branches.h"

namespace edgeconv {

namespace {

bool has_quantization(const Graph& body) {
  return std::any_of(body.nodes.begin(), body.nodes.end(), [](const Node& n) {
    if (n.dead) return false;
    if (n.kind == OpKind::kDequantizeLinear || n.kind == OpKind::kQuantizeLinear || n.kind == OpKind::kDynamicQuantizeLinear ||
        n.kind == OpKind::kMatMulInteger || n.kind == OpKind::kConvInteger)
      return true;
    if (n.kind != OpKind::kIf) return false;
    const auto& bodies = n.as<SubgraphAttrs>().bodies;
    return std::any_of(bodies.begin(), bodies.end(), [](const auto& inner) { return has_quantization(*inner); });
  });
}

}  // namespace

int pass_select_quantized_branches(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kIf, [&](NodeId id) {
    const auto& bodies = g.node(id).as<SubgraphAttrs>().bodies;
    return std::any_of(bodies.begin(), bodies.end(), [](const auto& body) { return has_quantization(*body); }) && select_branches(g, id);
  });
}

}  // namespace edgeconv
