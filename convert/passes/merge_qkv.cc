// The query, key and value projections of one input become one Linear, also where queries and keys are rotated in between.
#include "convert/passes/join_linears.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// The node that takes columns of a projection: the attention, or the Rope that alone stands before it.
ProductReader projection_reader(const Graph& g, const Users& users, NodeId attention, size_t operand) {
  const ValueId v = g.node(attention).in(operand);
  const Node* rope = producer_of_kind(g, v, OpKind::kRope);
  if (rope && use_count(users, v) == 1 && !g.is_output(v)) return {id_of(g, *rope), 0};
  return {attention, operand};
}

void move_columns(Graph& g, const ProductReader& r, int64_t by) {
  Node& n = g.node(r.node);
  if (n.kind == OpKind::kRope) {
    n.as<RopeAttrs>().first += by;
    return;
  }
  auto& a = n.as<AttentionAttrs>();
  (r.operand == 0 ? a.q_first : r.operand == 1 ? a.k_first : a.v_first) += by;
}

bool merge(Graph& g, const Users& users, NodeId id) {
  const ProductReader value = projection_reader(g, users, id, 2);
  const Node* of_value = private_linear(g, users, value);
  if (!of_value) return false;
  std::vector<ProductReader> readers;
  for (size_t i = 0; i < 3; ++i) {
    const ProductReader r = projection_reader(g, users, id, i);
    const Node* l = private_linear(g, users, r);
    if (l && l->in(0) == of_value->in(0)) readers.push_back(r);
  }
  if (readers.size() < 2) return false;
  const std::vector<int64_t> first = join_linears(g, readers);
  for (size_t i = 0; i < readers.size(); ++i) move_columns(g, readers[i], first[i]);
  return true;
}

}  // namespace

int pass_merge_qkv(Graph& g, Diagnostics&) {
  const Users users = g.users();
  return rewrite_each(g, OpKind::kAttention, [&](NodeId id) { return merge(g, users, id); });
}

}  // namespace edgeconv
