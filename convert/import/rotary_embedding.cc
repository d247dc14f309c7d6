// RotaryEmbedding of opset 23 and of ONNX Runtime: rotates pairs of the leading columns of each head by position-dependent
// angles.
#include "convert/import/rotary_embedding.h"

namespace edgeconv {
namespace {

struct Pair {
  ValueId first, second;
};

Pair halves(ImportContext& c, const OnnxNode& n, ValueId x, bool interleaved) {
  if (interleaved) return {slice(c, n, x, -1, 0, INT64_MAX, 2), slice(c, n, x, -1, 1, INT64_MAX, 2)};
  const std::vector<ValueId> parts = c.inner_outputs(n, OpKind::kSplit, {x}, 2, SplitAttrs{-1, {}, 2});
  return {parts[0], parts[1]};
}

ValueId joined(ImportContext& c, const OnnxNode& n, const Pair& p, bool interleaved, ValueId like) {
  if (!interleaved) return concat(c, n, {p.first, p.second}, -1);
  const ValueId pairs = concat(c, n, {unsqueeze(c, n, p.first, {-1}), unsqueeze(c, n, p.second, {-1})}, -1);
  return c.inner(n, OpKind::kReshape, {pairs, c.inner(n, OpKind::kShape, {like}, ShapeAttrs{})}, ReshapeAttrs{});
}

// Columns of a constant table, 0 when they are not known.
int64_t last_dim_hint(ImportContext& c, ValueId table) {
  const Tensor* t = constant_of(c, table);
  return t == nullptr || t->rank() == 0 ? 0 : t->dims().back();
}

struct RotaryAttrs {
  int64_t heads, rotated;
  bool interleaved;
};

RotaryAttrs rotary_attrs(const OnnxNode& n) {
  const RotaryAttrs a{n.integer("num_heads", 0), n.integer("rotary_embedding_dim", 0), n.integer("interleaved", 0) != 0};
  if (a.heads < 0 || a.rotated < 0) throw NodeError("num_heads or rotary_embedding_dim is negative");
  return a;
}

ValueId rows(ImportContext& c, const OnnxNode& n, ValueId table, ValueId ids) {
  return c.inner(n, OpKind::kGather, {table, ids}, AxisAttrs{0});
}

}  // namespace

ValueId rotate(ImportContext& c, const OnnxNode& n, ValueId x, ValueId cos, ValueId sin, int64_t rotated, bool interleaved) {
  const ValueId part = rotated > 0 ? slice(c, n, x, -1, 0, rotated) : x;
  const Pair p = halves(c, n, part, interleaved);
  const Pair r{sub(c, n, mul(c, n, cos, p.first), mul(c, n, sin, p.second)),
               add(c, n, mul(c, n, sin, p.first), mul(c, n, cos, p.second))};
  const ValueId y = joined(c, n, r, interleaved, part);
  return rotated > 0 ? concat(c, n, {y, slice(c, n, x, -1, rotated, INT64_MAX)}, -1) : y;
}

// Inputs: x, cos, sin, position_ids. With position_ids the tables are [positions, D / 2], without [B, S, D / 2].
void import_rotary_embedding(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 4);
  ValueId x = required_input(c, n, 0), cos = required_input(c, n, 1), sin = required_input(c, n, 2);
  const RotaryAttrs a = rotary_attrs(n);
  const bool packed = a.heads > 0 && rank_hint(c.graph(), x) != 4;  // [B, S, heads * D], otherwise [B, heads, S, D]
  if (packed) x = reshape(c, n, x, {0, 0, a.heads, -1});
  if (const ValueId ids = c.input(n, 3); ids != kNone) {
    cos = rows(c, n, cos, ids);
    sin = rows(c, n, sin, ids);
  }
  const int64_t head_axis = packed ? 2 : 1;
  ValueId y = rotate(c, n, x, unsqueeze(c, n, cos, {head_axis}), unsqueeze(c, n, sin, {head_axis}), a.rotated, a.interleaved);
  if (packed) y = reshape(c, n, y, {0, 0, -1});
  c.bind(n, 0, y);
}

// ONNX Runtime's form: x, position_ids, cos and sin tables [positions, D / 2]. One position id is the first position of every
// row.
void import_contrib_rotary_embedding(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 4);
  ValueId x = required_input(c, n, 0), ids = required_input(c, n, 1);
  const ValueId cos = required_input(c, n, 2), sin = required_input(c, n, 3);
  RotaryAttrs a = rotary_attrs(n);
  if (n.integer("is_packed_batching", 0) != 0)
    refuse("rows without padding (packed batching)", "convert the model as it was before ONNX Runtime optimised it");
  const int rank = rank_hint(c.graph(), x);
  const bool packed = rank != 4;
  const int64_t width = a.rotated > 0 ? a.rotated : 2 * last_dim_hint(c, cos);
  if (packed && a.heads > 0) {
    x = reshape(c, n, x, {0, 0, a.heads, -1});
  } else if (packed) {
    // Without num_heads the tables tell the head size.
    if (width <= 0 || a.rotated > 0)
      refuse("neither num_heads nor the head size is given", "convert the model as it was before ONNX Runtime optimised it");
    x = reshape(c, n, x, {0, 0, -1, width});
  }
  if (rank_hint(c.graph(), ids) <= 1) {
    const ValueId length = dim_size(c, n, x, packed ? 1 : 2),
                  first = c.inner(n, OpKind::kReshape, {ids, ints(c, n, {})}, ReshapeAttrs{});
    ids = unsqueeze(c, n, c.inner(n, OpKind::kRange, {first, add(c, n, first, length), int_scalar(c, n, 1)}), {0});
  }
  const int64_t head_axis = packed ? 2 : 1;
  ValueId y = rotate(c, n, x, unsqueeze(c, n, rows(c, n, cos, ids), {head_axis}),
                     unsqueeze(c, n, rows(c, n, sin, ids), {head_axis}), a.rotated, a.interleaved);
  if (packed) y = reshape(c, n, y, {0, 0, -1});
  c.bind(n, 0, y);
}

}  // namespace edgeconv
