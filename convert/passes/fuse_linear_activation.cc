// An activation that alone reads a Linear becomes part of it.
#include "convert/passes/match.h"

namespace edgeconv {

int pass_fuse_linear_activation(Graph& g, Diagnostics&) {
  int fused = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kLinear || g.nodes[i].as<LinearAttrs>().activation >= 0) continue;
    const Node n = g.nodes[i];
    const Node* next = sole_user(g, users, n.outputs[0]);
    if (!next || next->kind != OpKind::kUnary) continue;
    const int kind = next->as<UnaryAttrs>().kind;
    // Only the kernels' own kinds: the others have parameters or are not worth a fused pass.
    if (kind < 0 || kind >= static_cast<int>(ert::kernels::Unary::kCount)) continue;
    const ValueId out = next->outputs[0];
    g.nodes[i].dead = true;
    redefine(g, out, OpKind::kLinear, n.inputs, LinearAttrs{kind}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
