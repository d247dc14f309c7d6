// See head_operand.h.
#include "convert/passes/head_operand.h"

#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// sequence_axis, dim_axis: positions in v's shape of the token and feature axes (K arrives transposed).
std::optional<HeadOperand> from_layout(Graph& g, const ViewLayout& l, size_t sequence_axis, size_t dim_axis,
                                       const Origin& origin) {
  if (l.source_shape.size() != 3) return {};
  const auto sequence = merge_atoms(l.axes[sequence_axis]), dim = merge_atoms(l.axes[dim_axis]);
  if (dim.size() != 1 || dim[0].axis != 2 || dim[0].stride != DimExpr(1) || !dim[0].size.constant()) return {};
  std::vector<Atom> leading;
  for (size_t i = 0; i + 2 < l.axes.size(); ++i) leading.insert(leading.end(), l.axes[i].begin(), l.axes[i].end());
  leading = merge_atoms(leading);
  HeadOperand o;
  o.dim = *dim[0].size.constant();
  int batch_axis = -1, token_axis = -1;
  for (const Atom& a : leading) {
    if (a.axis == 2) {
      if (a.stride != DimExpr(o.dim) || !a.size.constant() || o.heads != 1) return {};
      o.heads = *a.size.constant();
    } else {
      if (batch_axis >= 0 || o.heads != 1 || a.size != l.source_shape[static_cast<size_t>(a.axis)]) return {};
      batch_axis = a.axis;
    }
  }
  if (sequence.size() > 1 ||
      (sequence.size() == 1 &&
       (sequence[0].axis == 2 || sequence[0].size != l.source_shape[static_cast<size_t>(sequence[0].axis)])))
    return {};
  token_axis = sequence.empty() ? (batch_axis == 0 ? 1 : batch_axis == 1 ? 0 : 1) : sequence[0].axis;
  // An axis without a piece has one entry; where that was cut out of several, the source is not what the view reads.
  const auto one_of_many = [&](int axis) { return l.source_shape[static_cast<size_t>(axis)] != DimExpr(1); };
  if (sequence.empty() && one_of_many(token_axis)) return {};
  if (batch_axis < 0) {
    batch_axis = 1 - token_axis;
    if (one_of_many(batch_axis)) return {};
  }
  if (batch_axis == token_axis || l.first[0] != DimExpr(0) || l.first[1] != DimExpr(0) || !l.first[2].constant()) return {};
  o.first = *l.first[2].constant();
  const auto width = l.source_shape[2].constant();
  if (!width || o.first < 0 || o.first + o.heads * o.dim > *width) return {};
  o.batch = l.source_shape[static_cast<size_t>(batch_axis)];
  o.sequence = l.source_shape[static_cast<size_t>(token_axis)];
  o.value = batch_axis == 0 ? l.source
                            : add_float_node(g, OpKind::kTranspose, {l.source}, TransposeAttrs{{1, 0, 2}}, origin,
                                             {o.batch, o.sequence, l.source_shape[2]});
  return o;
}

// Any [batch, heads, sequence, dim] value can be brought into the wanted form by one copy.
std::optional<HeadOperand> by_copy(Graph& g, ValueId v, bool transposed, const Origin& origin) {
  const Shape shape = *g.value(v).shape;
  if (shape.size() != 4 || !shape[1].constant() || !shape[transposed ? 2 : 3].constant()) return {};
  HeadOperand o;
  o.batch = shape[0];
  o.heads = *shape[1].constant();
  o.sequence = shape[transposed ? 3 : 2];
  o.dim = *shape[transposed ? 2 : 3].constant();
  const Shape split{o.batch, o.sequence, o.heads, o.dim}, joined{o.batch, o.sequence, DimExpr(o.heads * o.dim)};
  const ValueId t = add_float_node(
      g, OpKind::kTranspose, {v},
      TransposeAttrs{transposed ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 1, 3}}, origin, split);
  const ValueId target = shape_operand(g, origin.node, joined);
  o.value = add_float_node(g, OpKind::kReshape, {t, target}, ReshapeAttrs{true}, origin, joined);
  return o;
}

}  // namespace

std::optional<HeadOperand> head_operand(Graph& g, ValueId v, bool transposed, float* scale, const Origin& origin) {
  if (!g.value(v).shape || g.value(v).rank() < 3 || !is_float(g.value(v).dtype)) return {};
  const size_t rank = g.value(v).shape->size();
  float factor = 1;
  const ViewLayout l = trace_view(g, v, true, scale ? &factor : nullptr);
  if (auto o = from_layout(g, l, transposed ? rank - 1 : rank - 2, transposed ? rank - 2 : rank - 1, origin)) {
    if (scale) *scale *= factor;
    return o;
  }
  return by_copy(g, v, transposed, origin);
}

std::optional<HeadOperand> token_major_operand(Graph& g, ValueId v, const Origin& origin) {
  if (!g.value(v).shape || g.value(v).rank() != 4 || !is_float(g.value(v).dtype)) return {};
  ViewLayout l = trace_view(g, v, true);
  std::swap(l.axes[1], l.axes[2]);
  if (auto o = from_layout(g, l, 2, 3, origin)) return o;
  const Shape shape = *g.value(v).shape;
  if (!shape[2].constant() || !shape[3].constant()) return {};
  HeadOperand o;
  o.batch = shape[0];
  o.sequence = shape[1];
  o.heads = *shape[2].constant();
  o.dim = *shape[3].constant();
  const Shape joined{o.batch, o.sequence, DimExpr(o.heads * o.dim)};
  o.value = add_float_node(g, OpKind::kReshape, {v, shape_operand(g, origin.node, joined)}, ReshapeAttrs{true}, origin, joined);
  return o;
}

namespace {

// The axis that an Expand repeats, when it is exactly one of constant size.
std::optional<size_t> repeated_axis(const Graph& g, const Node& expand) {
  const auto &in = g.value(expand.in(0)).shape, &out = g.value(expand.outputs[0]).shape;
  if (!in || !out || in->size() != out->size()) return {};
  std::optional<size_t> axis;
  for (size_t i = 0; i < in->size(); ++i) {
    if ((*in)[i] == (*out)[i]) continue;
    if (axis || (*in)[i] != DimExpr(1) || !(*out)[i].constant()) return {};
    axis = i;
  }
  return axis;
}

}  // namespace

std::optional<Ungrouped> without_repetition(Graph& g, ValueId v, const Origin& origin) {
  if (!g.value(v).shape) return {};
  Ungrouped result;
  ViewLayout l = trace_view(g, v, false, &result.factor);
  const Node* expand = producer_of_kind(g, l.source, OpKind::kExpand);
  const auto axis = expand ? repeated_axis(g, *expand) : std::nullopt;
  if (!axis) return {};
  const DimExpr repeats = l.source_shape[*axis];
  const Atom whole{static_cast<int>(*axis), 1, repeats};
  Shape shape = *g.value(v).shape;
  bool found = false;
  for (size_t i = 0; i < l.axes.size(); ++i) {
    std::vector<Atom>& pieces = l.axes[i];
    for (size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].axis != whole.axis) continue;
      // Innermost of its axis: query heads of one group are neighbours.
      const auto groups = exact_quotient(shape[i], repeats);
      if (!(pieces[p] == whole) || p + 1 != pieces.size() || !groups) return {};
      pieces.pop_back();
      shape[i] = *groups;
      found = true;
      break;
    }
  }
  if (!found) return {};
  l.source = expand->in(0);
  l.source_shape[*axis] = 1;
  result.repeats = *repeats.constant();
  result.value = add_float_node(g, OpKind::kIdentity, {l.source}, {}, origin, shape);
  build_view(g, l.source, l, result.value, origin);
  return result;
}

}  // namespace edgeconv
