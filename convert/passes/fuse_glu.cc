// activation(a) * b, of two halves of one product or of two layers with the same input (GeGLU, SwiGLU), becomes one Glu node; the
// two layers become one Linear.
#include "convert/passes/join_linears.h"
#include "convert/passes/view_layout.h"

namespace edgeconv {

namespace {

// Consecutive columns of a value.
struct ColumnBlock {
  ValueId value = kNone;
  int64_t first = 0;
};

ColumnBlock column_block(const Graph& g, ValueId v) {
  const ViewLayout l = trace_view(g, v, true);
  const size_t rank = l.source_shape.size();
  if (l.source == v || rank != l.axes.size()) return {v, 0};
  for (size_t i = 0; i < rank; ++i) {
    const auto pieces = merge_atoms(l.axes[i]);
    const bool last = i + 1 == rank;
    if (pieces.size() != (l.source_shape[i] == DimExpr(1) ? 0u : 1u)) return {v, 0};
    if (pieces.empty()) continue;
    if (pieces[0].axis != static_cast<int>(i) || pieces[0].stride != DimExpr(1)) return {v, 0};
    if (!last && pieces[0].size != l.source_shape[i]) return {v, 0};
  }
  for (size_t i = 0; i + 1 < rank; ++i)
    if (l.first[i] != DimExpr(0)) return {v, 0};
  const auto first = l.first.back().constant();
  return first ? ColumnBlock{l.source, *first} : ColumnBlock{v, 0};
}

bool private_pair(const Graph& g, const Users& users, ValueId a, ValueId b) {
  const auto linear = [&](ValueId v) {
    const Node* p = producer_of_kind(g, v, OpKind::kLinear);
    return p && p->as<LinearAttrs>().activation < 0 && use_count(users, v) == 1 && !g.is_output(v) ? p : nullptr;
  };
  const Node *one = linear(a), *two = linear(b);
  return a != b && one && two && one->in(0) == two->in(0);
}

bool fuse(Graph& g, const Users& users, const Node n) {
  const ValueId out = n.outputs[0];
  for (size_t side = 0; side < 2; ++side) {
    const Node* activation = producer_of_kind(g, n.in(side), OpKind::kUnary);
    const ValueId other = n.in(1 - side);
    if (!activation || sole_user(g, users, n.in(side)) == nullptr || other == kNone) continue;
    const int kind = activation->as<UnaryAttrs>().kind;
    const auto &shape = g.value(out).shape, &of_activated = g.value(activation->in(0)).shape, &of_other = g.value(other).shape;
    if (kind < 0 || kind >= static_cast<int>(ert::kernels::Unary::kCount) || !shape || shape->empty() || of_activated != shape ||
        of_other != shape || !shape->back().constant() || !is_float(g.value(other).dtype))
      continue;
    const ColumnBlock a = column_block(g, activation->in(0)), b = column_block(g, other);
    const bool halves = a.value == b.value && a.value != activation->in(0);
    if (!halves && !private_pair(g, users, activation->in(0), other)) continue;
    GluAttrs attrs;
    attrs.activation = kind;
    attrs.width = *shape->back().constant();
    attrs.activated_first = halves ? a.first : 0;
    attrs.factor_first = halves ? b.first : 0;
    const std::vector<ValueId> inputs =
        halves ? std::vector<ValueId>{a.value, b.value} : std::vector<ValueId>{activation->in(0), other};
    redefine(g, out, OpKind::kGlu, inputs, attrs, n.origin);
    if (halves) return true;
    const NodeId glu = id_of(g, *g.producer(out));
    const std::vector<int64_t> first = join_linears(g, {{glu, 0}, {glu, 1}});
    g.node(glu).as<GluAttrs>().activated_first = first[0];
    g.node(glu).as<GluAttrs>().factor_first = first[1];
    return true;
  }
  return false;
}

}  // namespace

int pass_fuse_glu(Graph& g, Diagnostics&) {
  int fused = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBinary || g.nodes[i].as<BinaryAttrs>().kind != ert::params::binary::kMul)
      continue;
    fused += fuse(g, users, g.nodes[i]);
  }
  return fused;
}

}  // namespace edgeconv
