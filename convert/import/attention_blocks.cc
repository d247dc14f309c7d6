// Scaled dot-product attention in pieces.
#include "convert/import/attention_blocks.h"

namespace edgeconv {

ValueId split_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t heads) {
  return transpose(c, n, reshape(c, n, x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

ValueId merge_heads(ImportContext& c, const OnnxNode& n, ValueId x) {
  return reshape(c, n, transpose(c, n, x, {0, 2, 1, 3}), {0, 0, -1});
}

ValueId repeat_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t kv_heads, int64_t heads) {
  if (heads == kv_heads) return x;
  const ValueId wide = c.inner(n, OpKind::kExpand, {unsqueeze(c, n, x, {2}), ints(c, n, {1, 1, heads / kv_heads, 1, 1})});
  const ValueId size = c.inner(n, OpKind::kShape, {x}, ShapeAttrs{2, INT64_MAX});
  const ValueId shape = concat(c, n, {ints(c, n, {0, heads}), size}, 0);
  return c.inner(n, OpKind::kReshape, {wide, shape}, ReshapeAttrs{});
}

ValueId attention_scores(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, float scale) {
  const ValueId scores = matmul(c, n, q, transpose(c, n, k, {0, 1, 3, 2}));
  if (scale != 0) return mul(c, n, scores, scalar_like(c, n, q, scale));
  ValueId root = unary(c, n, UnaryKind::kSqrt, cast(c, n, dim_size(c, n, q, 3), DType::kFloat));
  if (const DType t = dtype_hint(c.graph(), q); t != DType::kUndefined && t != DType::kFloat) root = cast(c, n, root, t);
  return binary(c, n, BinaryKind::kDiv, scores, root);
}

ValueId window_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, ValueId first, int64_t left, int64_t right) {
  const ValueId zero = int_scalar(c, n, 0), one = int_scalar(c, n, 1);
  const ValueId queries = dim_size(c, n, q, 2), keys = dim_size(c, n, k, 2);
  ValueId rows = unsqueeze(c, n, c.inner(n, OpKind::kRange, {zero, queries, one}), {1});
  if (first != kNone) rows = add(c, n, rows, first);
  const ValueId columns = unsqueeze(c, n, c.inner(n, OpKind::kRange, {zero, keys, one}), {0});
  const auto shifted = [&](int64_t by) { return by == 0 ? rows : add(c, n, rows, int_scalar(c, n, by)); };
  ValueId keep = kNone;
  if (right >= 0) keep = binary(c, n, BinaryKind::kLessOrEqual, columns, shifted(right));
  if (left >= 0) {
    const ValueId near = binary(c, n, BinaryKind::kGreaterOrEqual, columns, shifted(-left));
    keep = keep == kNone ? near : binary(c, n, BinaryKind::kAnd, keep, near);
  }
  return keep;
}

ValueId causal_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, ValueId first) {
  return window_mask(c, n, q, k, first, -1, 0);
}

ValueId mask_behind_count(ImportContext& c, ValueId count, int64_t less) {
  const Graph& g = c.graph();
  const Node* p = g.producer(before_casts(g, count));
  if (less != 0) {
    if (p == nullptr || p->kind != OpKind::kBinary) return kNone;
    const auto by = constant_ints(c, p->inputs[1]);
    const BinaryKind kind = p->as<BinaryAttrs>().kind;
    if (!by || by->size() != 1 || (kind != BinaryKind::kSub && kind != BinaryKind::kAdd)) return kNone;
    if ((kind == BinaryKind::kSub ? (*by)[0] : -(*by)[0]) != less) return kNone;
    p = g.producer(before_casts(g, p->inputs[0]));
  }
  if (p == nullptr || p->kind != OpKind::kReduce) return kNone;
  const auto& a = p->as<ReduceAttrs>();
  std::vector<int64_t> axes = a.axes;
  if (p->in(1) != kNone) axes = constant_ints(c, p->in(1)).value_or(axes);
  if (a.kind != ReduceKind::kSum || a.keep_dims || axes.size() != 1 || (axes[0] != 1 && axes[0] != -1)) return kNone;
  return rank_hint(g, p->inputs[0]) == 2 ? p->inputs[0] : kNone;
}

ValueId count_mask(ImportContext& c, const OnnxNode& n, ValueId k, ValueId counts) {
  const ValueId positions = c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), dim_size(c, n, k, 2), int_scalar(c, n, 1)});
  return binary(c, n, BinaryKind::kLess, positions, unsqueeze(c, n, cast(c, n, counts, DType::kInt64), {1, 2, 3}));
}

ValueId softcap(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId like) {
  const float cap = n.number("softcap", 0);
  if (cap == 0) return scores;
  const ValueId limit = scalar_like(c, n, like, cap);
  return mul(c, n, unary(c, n, ActivationKind::kTanh, binary(c, n, BinaryKind::kDiv, scores, limit)), limit);
}

ValueId mask_scores(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId keep, ValueId like, float blocked) {
  return add(c, n, scores, c.inner(n, OpKind::kWhere, {keep, scalar_like(c, n, like, 0), scalar_like(c, n, like, blocked)}));
}

ValueId weighted_values(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId v) {
  return matmul(c, n, c.inner(n, OpKind::kSoftmax, {scores}, AxisAttrs{-1}), v);
}

}  // namespace edgeconv
