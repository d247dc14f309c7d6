// RotaryEmbedding of opset 23: rotates pairs of the leading columns of each head by position-dependent angles.
#include "convert/import/building_blocks.h"

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

}  // namespace

// Inputs: x, cos, sin, position_ids. With position_ids the tables are [positions, D / 2], without [B, S, D / 2].
void import_rotary_embedding(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 4);
  ValueId x = required_input(c, n, 0), cos = required_input(c, n, 1), sin = required_input(c, n, 2);
  const int64_t heads = n.integer("num_heads", 0), rotated = n.integer("rotary_embedding_dim", 0);
  const bool interleaved = n.integer("interleaved", 0) != 0;
  const bool packed = heads > 0 && rank_hint(c.graph(), x) != 4;  // [B, S, heads * D], otherwise [B, heads, S, D]
  if (heads < 0 || rotated < 0) throw NodeError("num_heads or rotary_embedding_dim is negative");
  if (packed) x = reshape(c, n, x, {0, 0, heads, -1});
  if (const ValueId ids = c.input(n, 3); ids != kNone) {
    cos = c.inner(n, OpKind::kGather, {cos, ids}, AxisAttrs{0});
    sin = c.inner(n, OpKind::kGather, {sin, ids}, AxisAttrs{0});
  }
  const int64_t head_axis = packed ? 2 : 1;
  cos = unsqueeze(c, n, cos, {head_axis});
  sin = unsqueeze(c, n, sin, {head_axis});
  const ValueId part = rotated > 0 ? slice(c, n, x, -1, 0, rotated) : x;
  const Pair p = halves(c, n, part, interleaved);
  const Pair r{sub(c, n, mul(c, n, cos, p.first), mul(c, n, sin, p.second)),
               add(c, n, mul(c, n, sin, p.first), mul(c, n, cos, p.second))};
  ValueId y = joined(c, n, r, interleaved, part);
  if (rotated > 0) y = concat(c, n, {y, slice(c, n, x, -1, rotated, INT64_MAX)}, -1);
  if (packed) y = reshape(c, n, y, {0, 0, -1});
  c.bind(n, 0, y);
}

}  // namespace edgeconv
