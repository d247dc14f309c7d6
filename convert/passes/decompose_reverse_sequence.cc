// ReverseSequence becomes a Slice with step -1 where all sequences have the size of the axis, as exporters write the backward half of a recurrent
// layer; else a GatherND, by the coordinates (t, b) of every row: t < length of b ? length - 1 - t : t.
#include <optional>

#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

// Of numbers that are all the same expression.
std::optional<DimExpr> same_number(const Graph& g, ValueId v) {
  const Value& x = g.value(v);
  if (x.constant) {
    const std::vector<int64_t> n = x.constant->to_int64();
    for (const int64_t e : n)
      if (e != n[0]) return {};
    return n.empty() ? std::nullopt : std::optional(DimExpr(n[0]));
  }
  if (x.elements) {
    for (const DimExpr& e : *x.elements)
      if (e != (*x.elements)[0]) return {};
    return x.elements->empty() ? std::nullopt : std::optional((*x.elements)[0]);
  }
  const Node* p = g.producer(v);
  if (p && (p->kind == OpKind::kExpand || p->kind == OpKind::kTile)) return same_number(g, p->in(0));
  return {};
}

class ReversedRows : public NodeBuilder {
 public:
  using NodeBuilder::NodeBuilder;

  // [time, batch, 2], or [batch, time, 2] where time is axis 1: where each row comes from.
  ValueId coordinates(ValueId lengths, const Shape& x, int64_t time_axis) {
    const Shape rows{x[0], x[1]};
    const DimExpr one(1);
    const auto along = [&](ValueId v, int64_t axis) {
      const Shape shape = axis == 0 ? Shape{x[0], one} : Shape{one, x[1]};
      return add(OpKind::kReshape, {v, sizes_of(shape)}, ReshapeAttrs{}, shape, DType::kInt64);
    };
    const auto op = [&](binary::Kind kind, ValueId a, ValueId b, DType t = DType::kInt64) {
      return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, rows, t);
    };
    const int64_t batch_axis = 1 - time_axis;
    const ValueId t = along(positions(x[static_cast<size_t>(time_axis)]), time_axis);
    const ValueId length = along(lengths, batch_axis), b = along(positions(x[static_cast<size_t>(batch_axis)]), batch_axis);
    const ValueId reversed = op(binary::kSub, op(binary::kSub, length, t), number(one));
    const ValueId inside = op(binary::kLess, t, length, DType::kBool);
    const ValueId row = add(OpKind::kWhere, {inside, reversed, t}, {}, rows, DType::kInt64);
    const ValueId of_batch = add(OpKind::kExpand, {b, sizes_of(rows)}, {}, rows, DType::kInt64);
    const auto last = [&](ValueId v) {
      const Shape shape{x[0], x[1], one};
      return add(OpKind::kReshape, {v, sizes_of(shape)}, ReshapeAttrs{}, shape, DType::kInt64);
    };
    const ValueId first = time_axis == 0 ? row : of_batch, second = time_axis == 0 ? of_batch : row;
    return add(OpKind::kConcat, {last(first), last(second)}, AxisAttrs{2}, {x[0], x[1], DimExpr(2)}, DType::kInt64);
  }
};

bool decompose_reverse_sequence(Graph& g, NodeId id) {
  const Node n = g.node(id);
  if (!g.value(n.in(0)).shape || g.value(n.in(0)).rank() < 2) return false;
  const Shape shape = *g.value(n.in(0)).shape;
  const int64_t time = n.as<AxisAttrs>().axis;
  ReversedRows b(g, n);
  if (same_number(g, n.in(1)) == shape[static_cast<size_t>(time)]) {
    redefine(g, n.outputs[0], OpKind::kSlice, {n.in(0), b.ints({-1}), b.ints({INT64_MIN}), b.ints({time}), b.ints({-1})}, {},
             n.origin);
    return true;
  }
  redefine(g, n.outputs[0], OpKind::kGatherND, {n.in(0), b.coordinates(n.in(1), shape, time)}, GatherNDAttrs{0}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_reverse_sequence(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kReverseSequence, [&](NodeId id) { return decompose_reverse_sequence(g, id); });
}

}  // namespace edgeconv
