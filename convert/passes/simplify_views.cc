// Chains of Reshape and Transpose become the shortest chain that does the same: nothing, one Reshape, or one Transpose
// between two Reshapes.
#include "convert/passes/match.h"
#include "convert/passes/stand_ins.h"
#include "convert/passes/view_layout.h"

namespace edgeconv {

namespace {

// Transposes and nodes of the chain that trace_view followed from v to source.
std::pair<int, int> chain_cost(const Graph& g, ValueId v, ValueId source) {
  int transposes = 0, nodes = 0;
  while (v != source) {
    const Node* p = g.producer(v);
    transposes += p->kind == OpKind::kTranspose;
    ++nodes;
    v = p->in(0);
  }
  return {transposes, nodes};
}

}  // namespace

int pass_simplify_views(Graph& g, Diagnostics&) {
  int changed = 0;
  StandIns gone(g);
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    gone.redirect(g.nodes[i]);
    if (!is_view(g.nodes[i].kind)) continue;
    const ValueId v = g.nodes[i].outputs[0];
    if (!g.value(v).shape || g.value(v).elements) continue;
    const ViewLayout l = trace_view(g, v, false);
    if (l.source == v) continue;
    const auto [transposes, nodes] = chain_cost(g, v, l.source);
    const bool plain = keeps_order(l);
    if (plain && *g.value(v).shape == l.source_shape && !g.is_output(v)) {
      gone.add(v, l.source);
      g.nodes[i].dead = true;
      ++changed;
    } else if ((plain && nodes > 1) || (!plain && (transposes > 1 || nodes > 3))) {
      build_view(g, l.source, l, v, Origin(g.nodes[i].origin));
      ++changed;
    }
  }
  gone.redirect_all(g);
  return changed;
}

}  // namespace edgeconv
