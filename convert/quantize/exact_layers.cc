// Walks back from the casts.
#include "convert/quantize/exact_layers.h"

#include <vector>

namespace edgeconv {

namespace {

bool keeps_values(OpKind k) { return rearranges(k) || k == OpKind::kConcat; }

}  // namespace

std::set<NodeId> exact_layers(const Graph& g) {
  std::set<NodeId> layers, seen;
  std::vector<ValueId> open;
  for (const Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kCast && is_integer(n.as<CastAttrs>().to)) open.push_back(n.in(0));
  while (!open.empty()) {
    const Node* p = open.back() == kNone ? nullptr : g.producer(open.back());
    open.pop_back();
    if (!p || p->dead || !seen.insert(static_cast<NodeId>(p - g.nodes.data())).second) continue;
    if (p->kind == OpKind::kLinear) layers.insert(static_cast<NodeId>(p - g.nodes.data()));
    if (keeps_values(p->kind)) open.insert(open.end(), p->inputs.begin(), p->inputs.end());
  }
  return layers;
}

}  // namespace edgeconv
