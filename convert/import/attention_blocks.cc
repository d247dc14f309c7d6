// Scaled dot-product attention in pieces.
#include "convert/import/attention_blocks.h"

namespace edgeconv {

ValueId split_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t heads) {
  return transpose(c, n, reshape(c, n, x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

ValueId merge_heads(ImportContext& c, const OnnxNode& n, ValueId x) {
  return reshape(c, n, transpose(c, n, x, {0, 2, 1, 3}), {0, 0, -1});
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
  ValueId positions = c.inner(n, OpKind::kRange, {zero, queries, one});
  if (first != kNone) positions = add(c, n, positions, first);
  const ValueId rows = unsqueeze(c, n, positions, {1});
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

ValueId mask_scores(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId keep, ValueId like, float blocked) {
  return add(c, n, scores, c.inner(n, OpKind::kWhere, {keep, scalar_like(c, n, like, 0), scalar_like(c, n, like, blocked)}));
}

ValueId weighted_values(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId v) {
  return matmul(c, n, c.inner(n, OpKind::kSoftmax, {scores}, AxisAttrs{-1}), v);
}

}  // namespace edgeconv
