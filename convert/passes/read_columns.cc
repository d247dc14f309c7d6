// Who reads one of two columns that a Concat put side by side reads the column itself, and sums over both add them: spectra are made
// complex, and read for one part or for their power. What nobody reads is then not computed.
#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/column_parts.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;

constexpr int kMostNodes = 16;

// Whether operand v of an elementwise node gives all columns of an axis of a result of this rank the same numbers.
bool alike_along(const Graph& g, ValueId v, int64_t axis, int64_t rank) {
  if (!g.value(v).shape) return false;
  const int64_t own = axis - (rank - g.value(v).rank());
  return own < 0 || (*g.value(v).shape)[static_cast<size_t>(own)] == DimExpr(1);
}

std::optional<std::vector<int64_t>> constant_ints(const Graph& g, ValueId v) {
  if (v == kNone || !g.value(v).constant || !is_integer(g.value(v).dtype)) return {};
  return g.value(v).constant->to_int64();
}

// The axis of the node's first input that becomes `axis` of its output, where the node treats all columns alike; -1: it does not.
int64_t axis_before(const Graph& g, const Node& n, int64_t axis) {
  const Value &x = g.value(n.in(0)), &y = g.value(n.outputs[0]);
  if (!x.shape || !y.shape) return -1;
  const int64_t rank = y.rank();
  switch (n.kind) {
    case OpKind::kIdentity:
    case OpKind::kCast:
    case OpKind::kUnary: return axis;
    case OpKind::kBinary: {
      const bool same = n.in(0) == n.in(1), first = g.value(n.in(0)).rank() == rank && alike_along(g, n.in(1), axis, rank);
      return same || first ? axis : -1;
    }
    case OpKind::kTranspose: {
      const auto& perm = n.as<TransposeAttrs>().perm;
      return perm.empty() ? rank - 1 - axis : perm[static_cast<size_t>(axis)];
    }
    case OpKind::kSlice: {
      const auto axes = constant_ints(g, n.in(3));
      if (!axes) return -1;
      for (int64_t a : *axes)
        if (from_front(a, rank) == axis) return -1;
      return axis;
    }
    case OpKind::kReshape:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze: {  // axes of size 1 come and go in front of it or behind it
      const auto not_one = [](const Shape& s, size_t from, size_t to) {
        Shape r;
        for (size_t i = from; i < to; ++i)
          if (s[i] != DimExpr(1)) r.push_back(s[i]);
        return r;
      };
      const Shape &in = *x.shape, &out = *y.shape;
      const size_t at = static_cast<size_t>(axis);
      for (size_t i = 0; i < in.size(); ++i)
        if (in[i] == out[at] && not_one(in, 0, i) == not_one(out, 0, at) &&
            not_one(in, i + 1, in.size()) == not_one(out, at + 1, out.size()))
          return static_cast<int64_t>(i);
      return -1;
    }
    default: return -1;
  }
}

bool puts_columns_together(const Graph& g, const Node& n, int64_t axis) {
  if (n.kind != OpKind::kConcat || n.inputs.size() != 2) return false;
  const int64_t rank = g.value(n.outputs[0]).rank();
  if (from_front(n.as<AxisAttrs>().axis, rank) != axis) return false;
  return std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) {
    return g.value(v).shape && g.value(v).rank() == rank && (*g.value(v).shape)[static_cast<size_t>(axis)] == DimExpr(1);
  });
}

}  // namespace

int64_t column_count(const Graph& g, ValueId v, int64_t axis) {
  for (int i = 0; i < kMostNodes; ++i) {
    const Node* p = g.producer(v);
    if (!p || p->dead || p->outputs.size() != 1 || !is_float(g.value(v).dtype) || g.value(v).rank() <= axis ||
        (*g.value(v).shape)[static_cast<size_t>(axis)] != DimExpr(2))
      return 0;
    if (puts_columns_together(g, *p, axis)) return 2;
    axis = axis_before(g, *p, axis);
    if (axis < 0) return 0;
    v = p->in(0);
  }
  return 0;
}

ValueId column_part(Graph& g, ValueId v, int64_t axis, int64_t i, const Origin& origin) {
  const Node n = *g.producer(v);
  if (puts_columns_together(g, n, axis)) return n.in(static_cast<size_t>(i));
  const int64_t before = axis_before(g, n, axis);
  std::vector<ValueId> inputs = n.inputs;
  inputs[0] = column_part(g, n.in(0), before, i, origin);
  if (n.kind == OpKind::kBinary && n.in(0) == n.in(1)) inputs[1] = inputs[0];
  Shape shape = *g.value(v).shape;
  shape[static_cast<size_t>(axis)] = DimExpr(1);
  Attributes attrs = n.attrs;
  OpKind kind = n.kind;
  if (kind == OpKind::kReshape || kind == OpKind::kSqueeze || kind == OpKind::kUnsqueeze) {
    kind = OpKind::kReshape;
    attrs = ReshapeAttrs{};
    inputs = {inputs[0], shape_operand(g, origin.node, shape)};
  }
  const DType t = g.value(v).dtype;
  const ValueId part = g.add_node(kind, std::move(inputs), std::move(attrs), origin);
  g.value(part).dtype = t;
  g.value(part).shape = std::move(shape);
  return part;
}

namespace {

// What a node reads of the columns: one of them, or all that go into a sum.
struct Reading {
  int64_t axis = 0;
  std::vector<int64_t> columns;
};

std::optional<Reading> reading(const Graph& g, const Node& n) {
  if (n.in(0) == kNone || n.outputs.size() != 1 || !g.value(n.in(0)).shape || !g.value(n.outputs[0]).shape) return {};
  const int64_t rank = g.value(n.in(0)).rank();
  switch (n.kind) {
    case OpKind::kGather: {
      const auto at = constant_ints(g, n.in(1));
      const int64_t axis = from_front(n.as<AxisAttrs>().axis, rank);
      if (!at || at->size() != 1 || (*g.value(n.in(0)).shape)[static_cast<size_t>(axis)] != DimExpr(2)) return {};
      return Reading{axis, {from_front((*at)[0], 2)}};
    }
    case OpKind::kSlice: {
      const auto starts = constant_ints(g, n.in(1)), axes = constant_ints(g, n.in(3));
      if (!starts || !axes || starts->size() != 1 || axes->size() != 1) return {};
      const int64_t axis = from_front((*axes)[0], rank);
      if ((*g.value(n.in(0)).shape)[static_cast<size_t>(axis)] != DimExpr(2) ||
          (*g.value(n.outputs[0]).shape)[static_cast<size_t>(axis)] != DimExpr(1))
        return {};
      return Reading{axis, {std::clamp<int64_t>(from_front((*starts)[0], 2), 0, 1)}};
    }
    case OpKind::kReduce: {
      const auto& a = n.as<ReduceAttrs>();
      const bool sum = a.kind == reduce::kSum || a.kind == reduce::kSumSquare || a.kind == reduce::kL2;
      if (!sum || a.axes.size() != 1 || !is_float(g.value(n.in(0)).dtype)) return {};
      return Reading{from_front(a.axes[0], rank), {0, 1}};
    }
    default: return {};
  }
}

bool read_columns(Graph& g, NodeId id) {
  const auto r = reading(g, g.node(id));
  if (!r || column_count(g, g.node(id).in(0), r->axis) == 0) return false;
  if (r->columns.size() == 1 && (r->columns[0] < 0 || r->columns[0] > 1)) return false;
  const Node n = g.node(id);
  const ValueId out = n.outputs[0];
  const Shape result = *g.value(out).shape;
  std::vector<ValueId> parts;
  for (int64_t i : r->columns) parts.push_back(column_part(g, n.in(0), r->axis, i, n.origin));
  ValueId y = parts[0];
  if (parts.size() == 2) {
    const DType t = g.value(y).dtype;
    const Shape shape = *g.value(y).shape;
    const auto add = [&](OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
      const ValueId v = g.add_node(kind, std::move(inputs), std::move(attrs), n.origin);
      g.value(v).dtype = t;
      g.value(v).shape = shape;
      return v;
    };
    const auto kind = n.as<ReduceAttrs>().kind;
    if (kind != reduce::kSum)
      for (ValueId& v : parts) v = add(OpKind::kUnary, {v}, UnaryAttrs{unary::kSquare, 0});
    y = add(OpKind::kBinary, {parts[0], parts[1]}, BinaryAttrs{binary::kAdd});
    if (kind == reduce::kL2) y = add(OpKind::kUnary, {y}, UnaryAttrs{unary::kSqrt, 0});
  }
  redefine(g, out, OpKind::kReshape, {y, shape_operand(g, n.origin.node, result)}, ReshapeAttrs{}, n.origin);
  return true;
}

// A Split into both columns.
bool split_columns(Graph& g, NodeId id) {
  const Node n = g.node(id);
  if (n.kind != OpKind::kSplit || n.outputs.size() != 2 || !g.value(n.in(0)).shape) return false;
  const int64_t axis = from_front(n.as<SplitAttrs>().axis, g.value(n.in(0)).rank());
  if (column_count(g, n.in(0), axis) == 0) return false;
  for (size_t i = 0; i < 2; ++i)
    if (n.outputs[i] != kNone && (*g.value(n.outputs[i]).shape)[static_cast<size_t>(axis)] != DimExpr(1)) return false;
  for (size_t i = 0; i < 2; ++i)
    if (n.outputs[i] != kNone)
      redefine(g, n.outputs[i], OpKind::kIdentity, {column_part(g, n.in(0), axis, static_cast<int64_t>(i), n.origin)}, {},
               n.origin);
  return true;
}

}  // namespace

int pass_read_columns(Graph& g, Diagnostics&) {
  int made = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead) made += read_columns(g, static_cast<NodeId>(i)) || split_columns(g, static_cast<NodeId>(i));
  return made;
}

}  // namespace edgeconv
