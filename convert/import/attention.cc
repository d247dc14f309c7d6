// Attention of opset 23 and 24, written as MatMul, Softmax and MatMul; the attention pass finds the pattern again. Fully masked
// rows give zeros there, which is what Softmax over -infinity gives here.
#include <limits>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

struct Heads {
  int64_t q = 0, kv = 0;
};

// [B, S, heads * D] -> [B, heads, S, D]
ValueId split_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t heads) {
  return transpose(c, n, reshape(c, n, x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

// Grouped queries: [B, kv, S, D] -> [B, kv * groups, S, D], each head repeated.
ValueId repeat_heads(ImportContext& c, const OnnxNode& n, ValueId x, const Heads& h) {
  if (h.q == h.kv) return x;
  const ValueId wide = c.inner(n, OpKind::kExpand, {unsqueeze(c, n, x, {2}), ints(c, n, {1, 1, h.q / h.kv, 1, 1})});
  const ValueId size = c.inner(n, OpKind::kShape, {x}, ShapeAttrs{2, INT64_MAX});
  const ValueId shape = concat(c, n, {ints(c, n, {0, h.q}), size}, 0);
  return c.inner(n, OpKind::kReshape, {wide, shape}, ReshapeAttrs{});
}

// True where query i may see key j: j <= i + (keys - queries).
ValueId causal_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k) {
  const ValueId zero = int_scalar(c, n, 0), one = int_scalar(c, n, 1);
  const ValueId queries = dim_size(c, n, q, 2), keys = dim_size(c, n, k, 2);
  const ValueId rows = add(c, n, c.inner(n, OpKind::kRange, {zero, queries, one}), sub(c, n, keys, queries));
  const ValueId columns = c.inner(n, OpKind::kRange, {zero, keys, one});
  return binary(c, n, BinaryKind::kLessOrEqual, unsqueeze(c, n, columns, {0}), unsqueeze(c, n, rows, {1}));
}

ValueId mask_scores(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId keep, ValueId like) {
  const ValueId blocked = scalar_like(c, n, like, -std::numeric_limits<float>::infinity());
  const ValueId bias = c.inner(n, OpKind::kWhere, {keep, scalar_like(c, n, like, 0), blocked});
  return add(c, n, scores, bias);
}

ValueId apply_masks(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId q, ValueId k, ValueId like) {
  if (n.integer("is_causal", 0) != 0) scores = mask_scores(c, n, scores, causal_mask(c, n, q, k), like);
  const ValueId mask = c.input(n, 3);
  if (mask == kNone) return scores;
  const DType t = dtype_hint(c.graph(), mask);
  if (t == DType::kUndefined)
    refuse("the element type of its mask is not known when the file is read", "cast the mask to bool before it");
  return t == DType::kBool ? mask_scores(c, n, scores, mask, like) : add(c, n, scores, mask);
}

void check_forms(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 7);
  const char* hint = "export the encoder without a key-value cache";
  if (c.input(n, 4) != kNone || c.input(n, 5) != kNone || c.input(n, 6) != kNone) refuse("past keys and values", hint);
  if (c.is_read(n, 1) || c.is_read(n, 2)) refuse("its present key and value outputs are used", hint);
  if (c.is_read(n, 3)) refuse("its score output is used", "do not return attention weights");
}

}  // namespace

void import_attention(ImportContext& c, const OnnxNode& n) {
  check_forms(c, n);
  ValueId q = required_input(c, n, 0), k = required_input(c, n, 1), v = required_input(c, n, 2);
  const ValueId like = q;
  Heads heads{n.integer("q_num_heads", 0), n.integer("kv_num_heads", 0)};
  const bool packed = heads.q > 0;  // 3-D inputs need the attributes, 4-D inputs have none
  if (packed && (heads.kv < 1 || heads.q % heads.kv != 0)) throw NodeError("q_num_heads is not a multiple of kv_num_heads");
  if (packed) {
    q = split_heads(c, n, q, heads.q);
    k = repeat_heads(c, n, split_heads(c, n, k, heads.kv), heads);
    v = repeat_heads(c, n, split_heads(c, n, v, heads.kv), heads);
  }
  ValueId scores = matmul(c, n, q, transpose(c, n, k, {0, 1, 3, 2}));
  if (const float scale = n.number("scale", 0); scale != 0) {
    scores = mul(c, n, scores, scalar_like(c, n, like, scale));
  } else {
    const ValueId width = cast(c, n, dim_size(c, n, q, 3), DType::kFloat);
    ValueId root = unary(c, n, UnaryKind::kSqrt, width);
    if (const DType t = dtype_hint(c.graph(), like); t != DType::kUndefined && t != DType::kFloat) root = cast(c, n, root, t);
    scores = binary(c, n, BinaryKind::kDiv, scores, root);
  }
  if (const float cap = n.number("softcap", 0); cap != 0) {
    const ValueId limit = scalar_like(c, n, like, cap);
    scores = mul(c, n, unary(c, n, ActivationKind::kTanh, binary(c, n, BinaryKind::kDiv, scores, limit)), limit);
  }
  scores = apply_masks(c, n, scores, q, k, like);
  const ValueId weights = c.inner(n, OpKind::kSoftmax, {scores}, AxisAttrs{-1});
  ValueId y = matmul(c, n, weights, v);
  if (packed) y = reshape(c, n, transpose(c, n, y, {0, 2, 1, 3}), {0, 0, -1});
  c.bind(n, 0, y);
}

}  // namespace edgeconv
