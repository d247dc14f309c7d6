// Rotary position embedding in the spellings of the exporters becomes Rope, gated units become Glu, and grouped keys and values are
// not repeated. apply_all compares the results before and after.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kHeads = 3, kDim = 8, kWidth = kHeads * kDim;

class RopePasses : public ::testing::Test {
 protected:
  RopePasses() : x(b.input("x", {B, S, 16})), cos(b.input("cos", {1, S, kDim})), sin(b.input("sin", {1, S, kDim})) {}
  ValueId project(int64_t width = kWidth) { return b.add(b.matmul(x, b.weights({16, width})), b.weights({width})); }
  ValueId heads(ValueId v, int64_t n = kHeads) { return b.transpose(b.reshape(v, {0, 0, n, kDim}), {0, 2, 1, 3}); }
  ValueId slice(ValueId v, int64_t start, int64_t end, int64_t step = 1, int64_t axis = -1) {
    return b.node(OpKind::kSlice, {v, b.ints({start}), b.ints({end}), b.ints({axis}), b.ints({step})});
  }
  ValueId concat(const std::vector<ValueId>& v, int64_t axis = -1) { return b.node(OpKind::kConcat, v, AxisAttrs{axis}); }
  ValueId unsqueeze(ValueId v, int64_t axis) { return b.node(OpKind::kUnsqueeze, {v, b.ints({axis})}, AxesAttrs{{axis}}); }
  ValueId table(ValueId v, int64_t head_axis, int64_t columns = kDim) {
    return unsqueeze(columns == kDim ? v : slice(v, 0, columns), head_axis);
  }
  ValueId rotate_half(ValueId v, int64_t n = kDim) {
    return concat({b.unary(unary::kNeg, slice(v, n / 2, INT64_MAX)), slice(v, 0, n / 2)});
  }
  // q * cos + rotate_half(q) * sin
  ValueId rotated(ValueId v, int64_t head_axis = 1) {
    return b.add(b.mul(v, table(cos, head_axis)), b.mul(rotate_half(v), table(sin, head_axis)));
  }
  // Attention of rotated queries and keys.
  void attention(ValueId q, ValueId k, ValueId v) {
    const ValueId p = b.softmax(b.mul(b.matmul(q, b.transpose(k, {0, 1, 3, 2})), b.scalar(0.35f)));
    b.output(b.matmul(b.reshape(b.transpose(b.matmul(p, v), {0, 2, 1, 3}), {0, 0, kWidth}), b.weights({kWidth, 4})));
  }
  const RopeAttrs& expect_rope(ValueId y) {
    b.output(y);
    apply_all(b.g);
    EXPECT_EQ(count(b.g, OpKind::kConcat), 0) << b.g.dump();
    return only(b.g, OpKind::kRope).as<RopeAttrs>();
  }
  GraphBuilder b;
  ValueId x, cos, sin;
};

TEST_F(RopePasses, RotateHalf) {
  const RopeAttrs& a = expect_rope(rotated(heads(project())));
  EXPECT_EQ(a.heads, kHeads);
  EXPECT_EQ(a.head_dim, kDim);
  EXPECT_EQ(a.rotated, kDim);
  EXPECT_FALSE(a.interleaved);
}

TEST_F(RopePasses, HalvesWithHalfTables) {
  const ValueId v = heads(project()), c = table(cos, 1, kDim / 2), s = table(sin, 1, kDim / 2);
  const auto halves = b.node_with_outputs(OpKind::kSplit, {v}, 2, SplitAttrs{-1, {}, 2});
  b.output(concat({b.sub(b.mul(halves[0], c), b.mul(halves[1], s)), b.add(b.mul(halves[1], c), b.mul(halves[0], s))}));
  apply_all(b.g);
  EXPECT_EQ(only(b.g, OpKind::kRope).as<RopeAttrs>().rotated, kDim);
}

// x[..., ::2], x[..., 1::2], stack, flatten.
TEST_F(RopePasses, NeighboursWithHalfTables) {
  const ValueId v = heads(project()), c = table(cos, 1, kDim / 2), s = table(sin, 1, kDim / 2);
  const ValueId even = slice(v, 0, INT64_MAX, 2), odd = slice(v, 1, INT64_MAX, 2);
  const ValueId pairs =
      concat({unsqueeze(b.sub(b.mul(even, c), b.mul(odd, s)), 4), unsqueeze(b.add(b.mul(odd, c), b.mul(even, s)), 4)});
  b.output(b.reshape(pairs, {0, 0, 0, kDim}));
  apply_all(b.g);
  EXPECT_TRUE(only(b.g, OpKind::kRope).as<RopeAttrs>().interleaved);
}

// GPT-NeoX and nomic-bert: the rest of the head is joined unchanged, here with heads behind the tokens.
TEST_F(RopePasses, PartOfTheHeadTokenMajor) {
  const ValueId v = b.reshape(project(), {0, 0, kHeads, kDim}), part = slice(v, 0, 4);
  const ValueId turned = b.add(b.mul(part, table(cos, 2, 4)), b.mul(rotate_half(part, 4), table(sin, 2, 4)));
  const RopeAttrs& a = expect_rope(concat({turned, slice(v, 4, INT64_MAX)}));
  EXPECT_EQ(a.rotated, 4);
  EXPECT_EQ(a.heads, kHeads);
}

TEST_F(RopePasses, OfPackedProjections) {
  const ValueId qkv = b.reshape(project(3 * kWidth), {0, 0, 3, kHeads, kDim});
  const auto part = [&](int64_t i) {
    return b.transpose(b.node(OpKind::kGather, {qkv, b.constant(Tensor::scalar(i))}, AxisAttrs{2}), {0, 2, 1, 3});
  };
  attention(rotated(part(0)), rotated(part(1)), part(2));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kRope), 2);
  EXPECT_EQ(count(b.g, OpKind::kTranspose), 0) << b.g.dump();
  EXPECT_EQ(only(b.g, OpKind::kAttention).as<AttentionAttrs>().v_first, 2 * kWidth);
}

// Projections are merged through the rotation.
TEST_F(RopePasses, ProjectionsAreMerged) {
  attention(rotated(heads(project())), rotated(heads(project())), heads(project()));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kRope), 2);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
}

// ESM scales queries before it rotates them.
TEST_F(RopePasses, ScaledQueries) {
  attention(rotated(b.mul(heads(project()), b.scalar(0.5f))), rotated(heads(project())), heads(project()));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kRope), 2);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
  EXPECT_NEAR(only(b.g, OpKind::kAttention).as<AttentionAttrs>().scale, 0.175f, 1e-6f);
}

// repeat_kv: one key and value head for three query heads.
TEST_F(RopePasses, GroupedKeysAreNotRepeated) {
  const auto repeated = [&](ValueId v) {
    const ValueId shape = b.g.add_value("shape", DType::kInt64, Shape{5});
    b.g.value(shape).elements = std::vector<DimExpr>{B, 1, kHeads, S, kDim};
    return b.reshape(b.node(OpKind::kExpand, {unsqueeze(v, 2), shape}), {0, kHeads, -1, kDim});
  };
  attention(rotated(heads(project())), b.mul(repeated(rotated(heads(project(kDim), 1))), b.scalar(2)),
            repeated(heads(project(kDim), 1)));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kExpand), 0) << b.g.dump();
  const auto& a = only(b.g, OpKind::kAttention).as<AttentionAttrs>();
  EXPECT_EQ(a.heads, kHeads);
  EXPECT_EQ(a.kv_heads, 1);
  EXPECT_NEAR(a.scale, 0.7f, 1e-6f);
}

// The other direction, another pairing, or tables that change with the head: not Rope.
TEST_F(RopePasses, OtherMixturesStay) {
  const ValueId v = heads(project());
  b.output(b.sub(b.mul(v, table(cos, 1)), b.mul(rotate_half(v), table(sin, 1))));
  b.output(b.add(b.mul(v, table(cos, 1)), b.mul(concat({slice(v, 4, 8), slice(v, 0, 4)}), table(sin, 1))));
  b.output(b.add(b.mul(v, b.input("c", {1, kHeads, S, kDim})), b.mul(rotate_half(v), b.input("s", {1, kHeads, S, kDim}))));
  const ValueId w = heads(project());
  b.output(b.add(b.mul(v, table(cos, 1)), b.mul(rotate_half(w), table(sin, 1))));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kRope), 0);
}

TEST_F(RopePasses, GluOfHalves) {
  const auto halves = b.node_with_outputs(OpKind::kSplit, {project()}, 2, SplitAttrs{-1, {}, 2});
  b.output(b.mul(halves[0], b.unary(Unary::kGeluErf, halves[1])));
  apply_all(b.g);
  const auto& a = only(b.g, OpKind::kGlu).as<GluAttrs>();
  EXPECT_EQ(a.activated_first, kWidth / 2);
  EXPECT_EQ(a.factor_first, 0);
  EXPECT_EQ(a.width, kWidth / 2);
  EXPECT_EQ(count(b.g, OpKind::kSplit), 0);
}

TEST_F(RopePasses, GluOfTwoLayersMergesThem) {
  const ValueId gate = project(), up = project();
  b.output(b.mul(b.unary(Unary::kSilu, gate), up));
  apply_all(b.g);
  EXPECT_EQ(only(b.g, OpKind::kGlu).as<GluAttrs>().factor_first, kWidth);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 1);
}

// One half has another reader, or the layers have different inputs.
TEST_F(RopePasses, OtherProductsStay) {
  const ValueId gate = project(), up = project();
  b.output(b.mul(b.unary(Unary::kSilu, gate), up));
  b.output(up);
  const ValueId other = b.matmul(b.input("z", {B, S, 16}), b.weights({16, kWidth}));
  b.output(b.mul(b.unary(Unary::kSilu, project()), other));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kGlu), 0);
}

}  // namespace

}  // namespace edgeconv::testing
