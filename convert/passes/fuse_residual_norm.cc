// The residual addition before a norm becomes part of it. Pre-norm models read the sum elsewhere too: it stays as the norm's
// second output.
#include "convert/passes/match.h"

namespace edgeconv {

int pass_fuse_residual_norm(Graph& g, Diagnostics&) {
  int fused = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kNorm || g.nodes[i].in(1) != kNone) continue;
    const Node n = g.nodes[i];
    const Node* add = binary_producer(g, n.in(0), ert::params::binary::kAdd);
    if (!add) continue;
    const Shape& shape = *g.value(n.in(0)).shape;
    const ValueId sum = n.in(0), a = add->in(0), b = add->in(1);
    const auto full = [&](ValueId v) {
      return v != kNone && !g.value(v).constant && g.value(v).shape && *g.value(v).shape == shape;
    };
    // The sum must be free: an earlier norm may have taken it over already.
    if (!full(a) || !full(b)) continue;
    const bool keep = use_count(users, sum) > 1 || g.is_output(sum);
    const ValueId y = n.outputs[0];
    g.node(id_of(g, *add)).dead = true;
    g.value(sum).producer = kNone;
    g.nodes[i].dead = true;
    g.value(y).producer = kNone;
    g.add_node_with_outputs(OpKind::kNorm, {a, b, n.in(2), n.in(3)},
                            keep ? std::vector<ValueId>{y, sum} : std::vector<ValueId>{y}, n.attrs, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
