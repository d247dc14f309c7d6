// Removes nodes that change nothing: Identity, Cast to the runtime's own type, Reshape or Expand to the same shape, Slice of
// everything, Transpose that keeps the order.
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

bool same_shape(const Graph& g, ValueId a, ValueId b) {
  return g.value(a).shape && g.value(b).shape && *g.value(a).shape == *g.value(b).shape;
}

bool forward_steps(const Graph& g, const Node& slice) {
  if (slice.in(4) == kNone) return true;
  if (!g.value(slice.in(4)).constant) return false;
  for (int64_t step : g.value(slice.in(4)).constant->to_int64())
    if (step < 1) return false;
  return true;
}

bool changes_nothing(const Graph& g, const Node& n) {
  switch (n.kind) {
    case OpKind::kIdentity: return true;
    case OpKind::kCast: return g.value(n.in(0)).dtype == n.as<CastAttrs>().to;
    case OpKind::kReshape:
    case OpKind::kFlatten:
    case OpKind::kExpand:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kTile: return same_shape(g, n.in(0), n.outputs[0]);
    // As many rows as there are, in order: all of them.
    case OpKind::kSlice: return same_shape(g, n.in(0), n.outputs[0]) && forward_steps(g, n);
    case OpKind::kTranspose: {
      const auto& perm = n.as<TransposeAttrs>().perm;
      for (size_t i = 0; i < perm.size(); ++i)
        if (perm[i] != static_cast<int64_t>(i)) return false;
      return !perm.empty();
    }
    default: return false;
  }
}

}  // namespace

int pass_remove_identities(Graph& g, Diagnostics&) {
  int removed = 0;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    Node& n = g.nodes[i];
    if (n.dead || n.in(0) == kNone || !changes_nothing(g, n)) continue;
    // An output keeps its name: only its inner readers are redirected, and the node stays as the copy into the output.
    const ValueId out = n.outputs[0];
    if (g.is_output(out)) continue;
    g.replace_uses(out, n.in(0));
    n.dead = true;
    ++removed;
  }
  return removed;
}

}  // namespace edgeconv
