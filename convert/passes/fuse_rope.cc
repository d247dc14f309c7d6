// Rotary position embedding becomes one Rope node on the [batch, sequence, width] tensor that holds the heads (rotation.h,
// head_operand.h). The tables get one column for every rotated column of a head.
#include <map>

#include "convert/passes/head_operand.h"
#include "convert/passes/match.h"
#include "convert/passes/rotation.h"

namespace edgeconv {

namespace {

// The table's shape as rank 4, aligned with [batch, heads, sequence, dim] or [batch, sequence, heads, dim].
std::optional<Shape> aligned(const Graph& g, ValueId table) {
  Shape shape = *g.value(table).shape;
  if (shape.size() > 4) return {};
  while (shape.size() < 4) shape.insert(shape.begin(), DimExpr(1));
  return shape;
}

// Which axis of x counts tokens: the one along which the tables change.
std::optional<size_t> token_axis(const Shape& x, const Shape& table) {
  for (size_t axis : {size_t{2}, size_t{1}}) {
    if (table[axis] == DimExpr(1) || table[axis] != x[axis] || table[3 - axis] != DimExpr(1)) continue;
    return table[0] == DimExpr(1) || table[0] == x[0] ? std::optional(axis) : std::nullopt;
  }
  return {};
}

class TableShaper {
 public:
  explicit TableShaper(Graph& g) : g_(g) {}

  // [batch or 1, sequence, columns.size()] from a table in the alignment of x.
  ValueId shaped(ValueId table, const std::vector<int64_t>& columns, const Shape& alignment, size_t tokens,
                 const Origin& origin) {
    const auto [at, fresh] = known_.try_emplace({table, columns}, kNone);
    if (!fresh) return at->second;
    const int64_t width = static_cast<int64_t>(columns.size());
    bool in_order = alignment[3] == DimExpr(width);
    for (int64_t i = 0; i < width; ++i) in_order &= columns[static_cast<size_t>(i)] == i;
    ValueId v = table;
    if (!in_order) {
      Shape spread = *g_.value(table).shape;
      spread.back() = width;
      v = add_float_node(g_, OpKind::kGather, {table, g_.add_constant(origin.node + "/columns", Tensor::ints(columns))},
                         AxisAttrs{-1}, origin, spread);
    }
    const Shape flat{alignment[0], alignment[tokens], DimExpr(width)};
    if (*g_.value(v).shape != flat)
      v = add_float_node(g_, OpKind::kReshape, {v, shape_operand(g_, origin.node, flat)}, ReshapeAttrs{true}, origin, flat);
    return at->second = v;
  }

 private:
  Graph& g_;
  std::map<std::pair<ValueId, std::vector<int64_t>>, ValueId> known_;
};

bool fuse(Graph& g, TableShaper& tables, const Node n) {
  const ValueId y = n.outputs[0];
  const auto r = match_rotation(g, y);
  if (!r || g.value(r->x).rank() != 4) return false;
  const Shape x = *g.value(r->x).shape;
  const auto cos = aligned(g, r->cos), sin = aligned(g, r->sin);
  const auto tokens = cos && sin ? token_axis(x, *cos) : std::nullopt;
  if (!tokens || token_axis(x, *sin) != tokens || !x[3 - *tokens].constant()) return false;
  float factor = 1;
  const auto o = *tokens == 2 ? head_operand(g, r->x, false, &factor, n.origin) : token_major_operand(g, r->x, n.origin);
  if (!o || o->batch != x[0] || o->sequence != x[*tokens] || DimExpr(o->heads) != x[3 - *tokens]) return false;
  RopeAttrs a;
  a.heads = o->heads;
  a.head_dim = o->dim;
  a.rotated = r->rotated;
  a.first = o->first;
  a.interleaved = r->interleaved;
  const ValueId c = tables.shaped(r->cos, r->cos_column, *cos, *tokens, n.origin),
                s = tables.shaped(r->sin, r->sin_column, *sin, *tokens, n.origin);
  const ValueId fused =
      add_float_node(g, OpKind::kRope, {o->value, c, s}, a, n.origin, {o->batch, o->sequence, DimExpr(a.heads * a.head_dim)});
  ViewLayout l = ViewLayout::identity(g, fused);
  const std::vector<Atom> batch = l.axes[0], sequence = l.axes[1], heads{{2, DimExpr(a.head_dim), DimExpr(a.heads)}},
                          dim{{2, 1, DimExpr(a.head_dim)}};
  l.axes = {batch, *tokens == 2 ? heads : sequence, *tokens == 2 ? sequence : heads, dim};
  if (factor == 1) {
    build_view(g, fused, l, y, n.origin);
    return true;
  }
  // Queries that were scaled before are scaled behind the rotation, where attention finds the factor.
  const ValueId view = add_float_node(g, OpKind::kIdentity, {fused}, {}, n.origin, *g.value(y).shape);
  build_view(g, fused, l, view, n.origin);
  redefine(g, y, OpKind::kBinary, {view, g.add_constant(n.origin.node + "/factor", Tensor::scalar(factor))},
           BinaryAttrs{ert::params::binary::kMul}, n.origin);
  return true;
}

bool may_end_rotation(OpKind k) { return k == OpKind::kBinary || k == OpKind::kConcat || k == OpKind::kReshape; }

}  // namespace

// From the end: the result of a rotation comes before its inner sums, which are dead afterwards.
int pass_fuse_rope(Graph& g, Diagnostics&) {
  int fused = 0;
  TableShaper tables(g);
  for (size_t i = g.nodes.size(); i-- > 0;) {
    if (g.nodes[i].dead || !may_end_rotation(g.nodes[i].kind) || !fuse(g, tables, g.nodes[i])) continue;
    g.remove_dead();
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
