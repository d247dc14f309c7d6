// Norms that the runtime's norm over the last axis does not cover are written with means: GroupNormalization,
// InstanceNormalization, and LayerNormalization over several axes or with a computed scale. Where the width is known,
// fuse_layer_norm puts them together again.
#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

struct NormWriter {
  Graph& g;
  Origin origin;

  ValueId typed(ValueId v, const Shape& shape) {
    g.value(v).dtype = DType::kFloat;
    g.value(v).shape = shape;
    return v;
  }
  ValueId reshape(ValueId x, const Shape& to) {
    return typed(g.add_node(OpKind::kReshape, {x, shape_operand(g, origin.node, to)}, ReshapeAttrs{}, origin), to);
  }
  ValueId op(binary::Kind kind, ValueId a, ValueId b, const Shape& shape) {
    return typed(g.add_node(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, origin), shape);
  }
  ValueId mean(ValueId x, const Shape& shape, const std::vector<int64_t>& axes) {
    Shape reduced = shape;
    for (int64_t a : axes) reduced[static_cast<size_t>(a)] = 1;
    return typed(g.add_node(OpKind::kReduce, {x}, ReduceAttrs{ert::params::reduce::kMean, axes, true, false}, origin), reduced);
  }

  // (x - mean) / sqrt(mean of squares + epsilon) over `axes`.
  ValueId normalize(ValueId x, const Shape& shape, const std::vector<int64_t>& axes, float epsilon, bool rms) {
    const ValueId d = rms ? x : op(binary::kSub, x, mean(x, shape, axes), shape);
    const ValueId squares = op(binary::kMul, d, d, shape);
    const ValueId m = mean(squares, shape, axes);
    const Shape reduced = *g.value(m).shape;
    const ValueId sum = op(binary::kAdd, m, g.add_constant(origin.node + "/epsilon", Tensor::scalar(epsilon)), reduced);
    const ValueId root = typed(g.add_node(OpKind::kUnary, {sum}, UnaryAttrs{ert::params::unary::kSqrt, 0}, origin), reduced);
    return op(binary::kDiv, d, root, shape);
  }
};

// One value per channel as [C, 1, ...] for a tensor of this rank; constants may also hold one per group.
std::optional<ValueId> per_channel(Graph& g, const Origin& origin, ValueId v, int64_t channels, int rank) {
  if (v == kNone || !g.value(v).shape) return {};
  std::vector<int64_t> dims(static_cast<size_t>(rank - 1), 1);
  dims[0] = channels;
  if (!g.value(v).constant) {
    if (*g.value(v).shape != Shape{channels}) return {};
    NormWriter w{g, origin};
    return w.reshape(v, Shape(dims.begin(), dims.end()));
  }
  const std::vector<float> given = g.value(v).constant->to_float();
  if (given.empty() || channels % static_cast<int64_t>(given.size()) != 0) return {};
  Tensor t(DType::kFloat, dims);
  const auto out = t.mut<float>();
  const size_t repeat = static_cast<size_t>(channels) / given.size();
  for (size_t c = 0; c < out.size(); ++c) out[c] = given[c / repeat];
  return g.add_constant(g.value(v).name + "/channels", t);
}

// Statistics that the model computes; constant ones are folded by decompose_batch_norm.
bool decompose_batch(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const Value& x = g.value(n.in(0));
  if (!x.shape || x.rank() < 2 || !(*x.shape)[1].constant()) return false;
  const Shape shape = *x.shape;
  ValueId in[4];
  bool constant = true;
  for (size_t i = 0; i < 4; ++i) {
    constant &= n.in(i + 1) != kNone && g.value(n.in(i + 1)).constant.has_value();
    const auto v = per_channel(g, n.origin, n.in(i + 1), *shape[1].constant(), static_cast<int>(shape.size()));
    if (!v) return false;
    in[i] = *v;
  }
  if (constant) return false;
  NormWriter w{g, n.origin};
  const Shape channels = *g.value(in[3]).shape;
  const ValueId epsilon = g.add_constant(n.origin.node + "/epsilon", Tensor::scalar(n.as<BatchNormAttrs>().epsilon));
  const ValueId root = w.typed(g.add_node(OpKind::kUnary, {w.op(binary::kAdd, in[3], epsilon, channels)},
                                          UnaryAttrs{ert::params::unary::kSqrt, 0}, n.origin),
                               channels);
  const ValueId centred = w.op(binary::kSub, n.in(0), in[2], shape);
  const ValueId scaled = w.op(binary::kMul, w.op(binary::kDiv, centred, root, shape), in[0], shape);
  redefine(g, n.outputs[0], OpKind::kBinary, {scaled, in[1]}, BinaryAttrs{binary::kAdd}, n.origin);
  return true;
}

bool decompose_groups(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const Value& x = g.value(n.in(0));
  if (!x.shape || x.rank() < 2 || !(*x.shape)[1].constant()) return false;
  const Shape shape = *x.shape;
  const int64_t channels = *shape[1].constant();
  const bool instance = n.kind == OpKind::kInstanceNormalization;
  const int64_t groups = instance ? channels : n.as<GroupNormAttrs>().groups;
  const float epsilon = instance ? n.as<BatchNormAttrs>().epsilon : n.as<GroupNormAttrs>().epsilon;
  if (groups < 1 || channels % groups != 0) return false;
  const auto scale = per_channel(g, n.origin, n.in(1), channels, static_cast<int>(shape.size())),
             bias = per_channel(g, n.origin, n.in(2), channels, static_cast<int>(shape.size()));
  if (!scale || !bias) return false;
  DimExpr width = channels / groups;
  for (size_t a = 2; a < shape.size(); ++a) width = width * shape[a];
  NormWriter w{g, n.origin};
  const Shape rows{shape[0], groups, width};
  const ValueId flat = rows == shape ? n.in(0) : w.reshape(n.in(0), rows);
  const ValueId normal = w.normalize(flat, rows, {2}, epsilon, false);
  const ValueId back = rows == shape ? normal : w.reshape(normal, shape);
  redefine(g, n.outputs[0], OpKind::kBinary, {w.op(binary::kMul, back, *scale, shape), *bias}, BinaryAttrs{binary::kAdd},
           n.origin);
  return true;
}

// Over the last axis with a constant scale of its size: fuse_layer_norm takes it as it is.
bool is_plain(const Graph& g, const Node& n, size_t first) {
  const Value& x = g.value(n.in(0));
  if (first + 1 != x.shape->size()) return false;
  for (size_t i = 1; i < 3; ++i) {
    if (n.in(i) == kNone) continue;
    const Value& v = g.value(n.in(i));
    if (!v.constant || v.rank() < 1 || DimExpr(v.constant->elements()) != x.shape->back() ||
        v.constant->dims().back() != v.constant->elements())
      return false;
  }
  return n.in(1) != kNone;
}

bool decompose_layer_norm(Graph& g, const Users& users, NodeId id) {
  const Node n = g.node(id);
  const Value& x = g.value(n.in(0));
  if (!x.shape || x.rank() < 1) return false;
  for (size_t o = 1; o < n.outputs.size(); ++o)
    if (n.outputs[o] != kNone && (use_count(users, n.outputs[o]) != 0 || g.is_output(n.outputs[o]))) return false;
  const auto& a = n.as<NormAttrs>();
  const Shape shape = *x.shape;
  const size_t first = axis_index(a.axis, shape.size());
  if (first >= shape.size() || is_plain(g, n, first)) return false;
  NormWriter w{g, n.origin};
  // Several axes of known size are one; a scale that covers them all is then the scale of a plain norm.
  const Shape tail(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end());
  Shape rows(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(first));
  rows.push_back(1);
  for (const DimExpr& d : tail) rows.back() = rows.back() * d;
  const auto covers = [&](ValueId v) {
    return v == kNone || (g.value(v).constant && DimExpr(g.value(v).constant->elements()) == rows.back());
  };
  if (rows != shape && is_static(tail) && covers(n.in(1)) && covers(n.in(2)) && n.in(1) != kNone) {
    std::vector<ValueId> inputs{w.reshape(n.in(0), rows)};
    for (size_t i = 1; i < 3; ++i)
      if (n.in(i) != kNone)
        inputs.push_back(
            g.add_constant(g.value(n.in(i)).name + "/flat", g.value(n.in(i)).constant->reshaped({*rows.back().constant()})));
    NormAttrs plain = a;
    plain.axis = -1;
    const ValueId y = w.typed(g.add_node(OpKind::kLayerNormalization, inputs, plain, n.origin), rows);
    redefine(g, n.outputs[0], OpKind::kReshape, {y, shape_operand(g, n.origin.node, shape)}, ReshapeAttrs{}, n.origin);
    return true;
  }
  std::vector<int64_t> axes;
  for (size_t i = first; i < shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  ValueId y = w.normalize(n.in(0), shape, axes, a.epsilon, a.rms);
  if (n.in(1) != kNone) y = w.op(binary::kMul, y, n.in(1), shape);
  if (n.in(2) != kNone) y = w.op(binary::kAdd, y, n.in(2), shape);
  redefine(g, n.outputs[0], OpKind::kIdentity, {y}, {}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_norms(Graph& g, Diagnostics&) {
  int done = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    const OpKind kind = g.nodes[i].kind;
    if (kind == OpKind::kGroupNormalization || kind == OpKind::kInstanceNormalization)
      done += decompose_groups(g, static_cast<NodeId>(i));
    if (kind == OpKind::kBatchNormalization) done += decompose_batch(g, static_cast<NodeId>(i));
    if (kind == OpKind::kLayerNormalization) done += decompose_layer_norm(g, users, static_cast<NodeId>(i));
  }
  return done;
}

}  // namespace edgeconv
