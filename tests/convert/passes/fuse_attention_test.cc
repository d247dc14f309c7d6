// softmax(Q K^T) V in the forms of the exporters becomes one Attention node on the [batch, sequence, width] tensors.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kHeads = 3, kDim = 8, kWidth = kHeads * kDim;
const float kScale = 1 / std::sqrt(static_cast<float>(kDim));

class FuseAttention : public ::testing::Test {
 protected:
  FuseAttention() : x(b.input("x", {B, S, 16})) {}
  ValueId project(int64_t width = kWidth) { return b.add(b.matmul(x, b.weights({16, width})), b.weights({width})); }
  ValueId split(ValueId v) { return b.transpose(b.reshape(v, {0, 0, kHeads, kDim}), {0, 2, 1, 3}); }
  ValueId split_key(ValueId v) { return b.transpose(b.reshape(v, {0, 0, kHeads, kDim}), {0, 2, 3, 1}); }
  ValueId merge(ValueId v) { return b.reshape(b.transpose(v, {0, 2, 1, 3}), {0, 0, kWidth}); }
  // Whole pipeline; exactly one Attention and no MatMul or Softmax left.
  const Node& expect_one(ValueId y) {
    b.output(b.matmul(y, b.weights({kWidth, 4})));
    apply_all(b.g);
    EXPECT_EQ(count(b.g, OpKind::kMatMul), 0) << b.g.dump();
    EXPECT_EQ(count(b.g, OpKind::kSoftmax), 0) << b.g.dump();
    EXPECT_EQ(count(b.g, OpKind::kTranspose), 0) << b.g.dump();
    const Node& n = only(b.g, OpKind::kAttention);
    const auto& a = n.as<AttentionAttrs>();
    EXPECT_EQ(a.heads, kHeads);
    EXPECT_EQ(a.head_dim, kDim);
    EXPECT_EQ(a.v_dim, kDim);
    EXPECT_NEAR(a.scale, kScale, 1e-6);
    return n;
  }
  GraphBuilder b;
  ValueId x;
};

TEST_F(FuseAttention, FourDimensional) {
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.div(b.matmul(q, k), b.scalar(std::sqrt(8.0f)))), v)));
  // Q, K and V of one input are one Linear afterwards.
  EXPECT_EQ(n.in(0), n.in(1));
  EXPECT_EQ(n.in(1), n.in(2));
  const auto& a = n.as<AttentionAttrs>();
  EXPECT_EQ(a.q_first, 0);
  EXPECT_EQ(a.k_first, kWidth);
  EXPECT_EQ(a.v_first, 2 * kWidth);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
}

// JAX and Keras project with a Gemm over rows of all texts together.
TEST_F(FuseAttention, ProjectionsOfJoinedRows) {
  const auto rows = [&](ValueId v, int64_t width) {
    const ValueId flat = b.add(b.matmul(b.reshape(v, {-1, 16}), b.weights({16, width})), b.weights({width}));
    const ValueId target = b.g.add_value("heads" + std::to_string(flat), DType::kInt64, Shape{4});
    b.g.value(target).elements = std::vector<DimExpr>{B, S, kHeads, kDim};
    return b.node(OpKind::kReshape, {flat, target}, ReshapeAttrs{});
  };
  const ValueId q = b.transpose(rows(x, kWidth), {0, 2, 1, 3}), k = b.transpose(rows(x, kWidth), {0, 2, 3, 1});
  const ValueId v = b.transpose(rows(x, kWidth), {0, 2, 1, 3});
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.mul(b.matmul(q, k), b.scalar(kScale))), v)));
  EXPECT_EQ(n.in(0), n.in(2));
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
}

// Keras repeats the keys and values of a group by Tile.
TEST_F(FuseAttention, KeysOfAGroupRepeatedByTile) {
  const auto repeated = [&](ValueId v) {
    const ValueId one = b.reshape(v, {0, 0, 1, 1, kDim});
    return b.reshape(b.node(OpKind::kTile, {one, b.ints({1, 1, 1, kHeads, 1})}), {0, 0, kHeads, kDim});
  };
  const ValueId k = b.transpose(repeated(project(kDim)), {0, 2, 3, 1}), v = b.transpose(repeated(project(kDim)), {0, 2, 1, 3});
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.mul(b.matmul(split(project()), k), b.scalar(kScale))), v)));
  EXPECT_EQ(n.as<AttentionAttrs>().kv_heads, 1);
}

TEST_F(FuseAttention, KeysTransposedApart) {
  const ValueId q = split(project()), k = b.transpose(split(project()), {0, 1, 3, 2}), v = split(project());
  expect_one(merge(b.matmul(b.softmax(b.mul(b.matmul(q, k), b.scalar(kScale))), v)));
}

// sdpa of torch: both operands are scaled by the root.
TEST_F(FuseAttention, ScaledOperands) {
  const float root = std::sqrt(kScale);
  const ValueId q = b.mul(split(project()), b.scalar(root)), k = b.mul(split_key(project()), b.scalar(root)),
                v = split(project());
  expect_one(merge(b.matmul(b.softmax(b.matmul(q, k)), v)));
}

TEST_F(FuseAttention, AdditiveMask) {
  const ValueId mask = b.input("mask", {B, 1, 1, S});
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.add(b.div(b.matmul(q, k), b.scalar(std::sqrt(8.0f))), mask)), v)));
  EXPECT_NE(n.in(3), kNone);
}

// The mask is added before the division: it must be divided too.
TEST_F(FuseAttention, MaskInsideTheScale) {
  const ValueId mask = b.input("mask", {B, 1, 1, S});
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  expect_one(merge(b.matmul(b.softmax(b.mul(b.add(b.matmul(q, k), mask), b.scalar(kScale))), v)));
}

// DistilBERT: scores are replaced where the mask is 0.
TEST_F(FuseAttention, MaskByWhere) {
  const ValueId mask = b.input("mask", {B, 1, 1, S}, DType::kBool);
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId scores = b.div(b.matmul(q, k), b.scalar(std::sqrt(8.0f)));
  expect_one(merge(b.matmul(b.softmax(b.node(OpKind::kWhere, {mask, b.scalar(-3.4028235e38f), scores})), v)));
}

TEST_F(FuseAttention, BiasPerHead) {
  const ValueId bias = b.input("bias", {1, kHeads, S, S});
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  expect_one(merge(b.matmul(b.softmax(b.add(b.mul(b.matmul(q, k), b.scalar(kScale)), bias)), v)));
}

// Three-dimensional batched products: [batch * heads, sequence, dim].
TEST_F(FuseAttention, ThreeDimensional) {
  const auto fold = [&](ValueId v) {
    const ValueId four = split(v), shape = b.g.add_value("folded", DType::kInt64, Shape{3});
    b.g.value(shape).elements = Shape{B * DimExpr(kHeads), S, kDim};
    return b.node(OpKind::kReshape, {four, shape}, ReshapeAttrs{});
  };
  const ValueId q = b.mul(fold(project()), b.scalar(kScale)), k = fold(project()), v = fold(project());
  const ValueId product = b.matmul(b.softmax(b.matmul(q, b.transpose(k, {0, 2, 1}))), v);
  const ValueId back = b.g.add_value("unfolded", DType::kInt64, Shape{4});
  b.g.value(back).elements = Shape{B, kHeads, S, kDim};
  expect_one(merge(b.node(OpKind::kReshape, {product, back}, ReshapeAttrs{})));
}

TEST_F(FuseAttention, PackedBySplit) {
  const ValueId packed = project(3 * kWidth);
  const auto parts = b.node_with_outputs(OpKind::kSplit, {packed}, 3, SplitAttrs{2, {kWidth, kWidth, kWidth}, 3});
  const ValueId q = split(parts[0]), k = split_key(parts[1]), v = split(parts[2]);
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.mul(b.matmul(q, k), b.scalar(kScale))), v)));
  EXPECT_EQ(n.in(0), n.in(2));
  EXPECT_EQ(n.as<AttentionAttrs>().k_first, kWidth);
  EXPECT_EQ(n.as<AttentionAttrs>().v_first, 2 * kWidth);
  EXPECT_EQ(count(b.g, OpKind::kSplit), 0);
}

// [b, s, 3, heads, dim] -> [3, b, heads, s, dim], then one Gather each.
TEST_F(FuseAttention, PackedByGather) {
  const ValueId five = b.transpose(b.reshape(project(3 * kWidth), {0, 0, 3, kHeads, kDim}), {2, 0, 3, 1, 4});
  const auto pick = [&](int64_t i) { return b.node(OpKind::kGather, {five, b.constant(Tensor::scalar(i))}, AxisAttrs{0}); };
  const ValueId q = b.mul(pick(0), b.scalar(kScale)), k = b.transpose(pick(1), {0, 1, 3, 2}), v = pick(2);
  const Node& n = expect_one(merge(b.matmul(b.softmax(b.matmul(q, k)), v)));
  EXPECT_EQ(n.as<AttentionAttrs>().v_first, 2 * kWidth);
}

// The first position or the first text, cut out behind the projection: what was cut off is not attended to.
TEST_F(FuseAttention, OperandsCutToOneOfMany) {
  const auto first = [&](ValueId v, int64_t axis) {
    return b.node(OpKind::kSlice, {v, b.ints({0}), b.ints({1}), b.ints({axis}), b.ints({1})});
  };
  const auto attend = [&](ValueId q, ValueId k, ValueId v) {
    b.output(merge(b.matmul(b.softmax(b.mul(b.matmul(split(q), split_key(k)), b.scalar(kScale))), split(v))));
  };
  const ValueId q = project(), k = project(), v = project();
  attend(first(q, 1), k, v);
  attend(first(q, 0), first(k, 0), first(v, 0));
  attend(q, first(k, 1), first(v, 1));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kAttention), 3);
}

// What torch writes for rows that are masked out wholly.
TEST_F(FuseAttention, GuardAgainstNaN) {
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId p = b.softmax(b.mul(b.matmul(q, k), b.scalar(kScale)));
  const ValueId guarded = b.node(OpKind::kWhere, {b.unary(unary::kIsNaN, p), b.scalar(0), p});
  expect_one(merge(b.matmul(guarded, v)));
}

TEST_F(FuseAttention, ProbabilitiesAreAnOutput) {
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId p = b.softmax(b.mul(b.matmul(q, k), b.scalar(kScale)));
  b.output(p);
  b.output(merge(b.matmul(p, v)));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kSoftmax), 1);
}

TEST_F(FuseAttention, SoftmaxOverQueriesStays) {
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId p = b.node(OpKind::kSoftmax, {b.mul(b.matmul(q, k), b.scalar(kScale))}, AxisAttrs{2});
  b.output(merge(b.matmul(p, v)));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kAttention), 0);
}

// A bias with a larger batch than the scores enlarges them: the fused op would give another shape.
TEST_F(FuseAttention, BiasThatEnlargesTheScoresStays) {
  const ValueId bias = b.input("bias", {7, 1, S, S});
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId one = b.node(OpKind::kReduce, {b.matmul(q, k)}, ReduceAttrs{reduce::kMean, {0}, true, false});
  b.output(b.matmul(b.softmax(b.add(one, bias)), b.node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kMean, {0}, true, false})));
  finish(b.g);
  EXPECT_EQ(apply(b.g, {pass_fuse_attention}), 0);
}

// Everything masked at -1e9 gives equal weights in the graph; adding -1e9 to scores of thousands would not.
TEST_F(FuseAttention, FullyMaskedRowsOfLargeScoresStayUniform) {
  const ValueId mask = b.input("mask", {B, 1, 1, S}, DType::kInt64);
  const ValueId nowhere = b.node(OpKind::kBinary, {mask, b.ints({100})}, BinaryAttrs{binary::kGreater});
  const ValueId q = split(project()), k = split_key(project()), v = split(project());
  const ValueId scores = b.mul(b.matmul(q, k), b.scalar(3000));
  b.output(b.matmul(b.softmax(b.node(OpKind::kWhere, {nowhere, scores, b.scalar(-1e9f)})), v));
  finish(b.g);
  EXPECT_EQ(apply(b.g, {pass_fuse_attention}), 1);
}

}  // namespace

}  // namespace edgeconv::testing
