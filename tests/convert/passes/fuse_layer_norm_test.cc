// LayerNorm and RMSNorm in the spellings of the exporters become one Norm node with the right parameters.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

constexpr float kEpsilon = 1e-5f;

class FuseLayerNorm : public ::testing::Test {
 protected:
  FuseLayerNorm()
      : x(b.input("x", {DimExpr::symbol("batch"), DimExpr::symbol("tokens"), 8})),
        gamma(b.weights({8}, 1)),
        beta(b.weights({8})) {}
  ValueId centred() { return b.sub(x, b.mean(x)); }
  ValueId root(ValueId square) { return b.unary(unary::kSqrt, b.add(b.mean(square), b.scalar(kEpsilon))); }
  ValueId scaled(ValueId normalized) { return b.add(b.mul(normalized, gamma), beta); }
  const FusedNormAttrs& expect_fused(ValueId y) {
    b.output(y);
    EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 1);
    EXPECT_EQ(count(b.g, OpKind::kReduce), 0) << b.g.dump();
    EXPECT_EQ(count(b.g, OpKind::kBinary), 0) << b.g.dump();
    const auto& a = only(b.g, OpKind::kNorm).as<FusedNormAttrs>();
    EXPECT_FLOAT_EQ(a.epsilon, kEpsilon);
    return a;
  }
  GraphBuilder b;
  ValueId x, gamma, beta;
};

TEST_F(FuseLayerNorm, PowAndDiv) {
  const ValueId d = centred();
  EXPECT_FALSE(expect_fused(scaled(b.div(d, root(b.pow(d, b.scalar(2)))))).rms);
}
// Keras and TensorFlow exports subtract twice.
TEST_F(FuseLayerNorm, SquareByMultiplication) {
  const ValueId d = centred();
  expect_fused(scaled(b.div(d, root(b.mul(d, d)))));
}
// A damaged file: the runtime refused the blob, and the conversion ended in exit 1.
TEST_F(FuseLayerNorm, AnEpsilonBelowZeroStaysArithmetic) {
  const ValueId d = centred();
  const ValueId root = b.unary(unary::kSqrt, b.add(b.mean(b.mul(d, d)), b.scalar(-0.5f)));
  b.output(scaled(b.div(d, root)));
  EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 0);
}
TEST_F(FuseLayerNorm, SquareNode) {
  const ValueId d = centred();
  expect_fused(scaled(b.div(d, root(b.unary(unary::kSquare, d)))));
}
TEST_F(FuseLayerNorm, TwoSubtractions) {
  const ValueId d = centred(), again = centred();
  b.output(scaled(b.div(d, root(b.pow(again, b.scalar(2))))));
  apply(b.g, {pass_merge_equal_nodes, pass_fuse_layer_norm});
  only(b.g, OpKind::kNorm);
}
TEST_F(FuseLayerNorm, ReciprocalOfTheRoot) {
  const ValueId d = centred();
  expect_fused(scaled(b.mul(d, b.unary(unary::kReciprocal, root(b.pow(d, b.scalar(2)))))));
}
TEST_F(FuseLayerNorm, OneOverTheRoot) {
  const ValueId d = centred();
  expect_fused(scaled(b.mul(b.div(b.scalar(1), root(b.pow(d, b.scalar(2)))), d)));
}
TEST_F(FuseLayerNorm, GammaAndBetaOnTheLeft) {
  const ValueId d = centred();
  expect_fused(b.add(beta, b.mul(gamma, b.div(d, root(b.pow(d, b.scalar(2)))))));
}
TEST_F(FuseLayerNorm, WithoutBeta) {
  const ValueId d = centred();
  expect_fused(b.mul(b.div(d, root(b.pow(d, b.scalar(2)))), gamma));
  EXPECT_EQ(only(b.g, OpKind::kNorm).in(3), kNone);
}
TEST_F(FuseLayerNorm, WithoutParameters) {
  const ValueId d = centred();
  expect_fused(b.div(d, root(b.pow(d, b.scalar(2)))));
}
TEST_F(FuseLayerNorm, Rms) {
  EXPECT_TRUE(expect_fused(b.mul(gamma, b.mul(x, b.unary(unary::kReciprocal, root(b.pow(x, b.scalar(2))))))).rms);
}
TEST_F(FuseLayerNorm, Operator) {
  b.output(b.node(OpKind::kLayerNormalization, {x, gamma, beta}, NormAttrs{-1, kEpsilon, false}));
  EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 1);
  EXPECT_EQ(count(b.g, OpKind::kLayerNormalization), 0);
  EXPECT_FLOAT_EQ(only(b.g, OpKind::kNorm).as<FusedNormAttrs>().epsilon, kEpsilon);
}

// tf.nn.batch_normalization, which Keras' LayerNormalization calls: x * factor + (beta - mean * factor).
TEST_F(FuseLayerNorm, ScaledBeforeTheMeanIsTaken) {
  const ValueId d = centred(), factor = b.mul(b.unary(unary::kReciprocal, root(b.mul(d, d))), gamma);
  EXPECT_FALSE(expect_fused(b.add(b.mul(x, factor), b.add(b.mul(b.unary(unary::kNeg, b.mean(x)), factor), beta))).rms);
  EXPECT_EQ(only(b.g, OpKind::kNorm).in(3), beta);
}
TEST_F(FuseLayerNorm, ScaledBeforeTheMeanIsTakenFromBeta) {
  const ValueId d = centred(), factor = b.mul(gamma, b.unary(unary::kReciprocal, root(b.mul(d, d))));
  expect_fused(b.add(b.sub(beta, b.mul(factor, b.mean(x))), b.mul(factor, x)));
  EXPECT_EQ(only(b.g, OpKind::kNorm).in(2), gamma);
}
TEST_F(FuseLayerNorm, ScaledBeforeTheMeanIsTakenWithoutParameters) {
  const ValueId d = centred(), factor = b.unary(unary::kReciprocal, root(b.mul(d, d)));
  expect_fused(b.add(b.mul(x, factor), b.unary(unary::kNeg, b.mul(b.mean(x), factor))));
}
TEST_F(FuseLayerNorm, TheMeanOfAnotherValueStays) {
  const ValueId other = b.input("other", {DimExpr::symbol("batch"), DimExpr::symbol("tokens"), 8});
  const ValueId d = centred(), factor = b.mul(b.unary(unary::kReciprocal, root(b.mul(d, d))), gamma);
  b.output(b.add(b.mul(x, factor), b.sub(beta, b.mul(b.mean(other), factor))));
  EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 0);
}
TEST_F(FuseLayerNorm, GammaInTheFactor) {
  const ValueId d = centred();
  expect_fused(b.add(b.mul(d, b.mul(b.unary(unary::kReciprocal, root(b.mul(d, d))), gamma)), beta));
  EXPECT_EQ(only(b.g, OpKind::kNorm).in(2), gamma);
}
// Flax: mean(x * x) - mean(x) * mean(x), not below 0.
TEST_F(FuseLayerNorm, VarianceOfTwoMoments) {
  const ValueId mean = b.mean(x), variance = b.sub(b.mean(b.mul(x, x)), b.mul(mean, mean));
  const ValueId deviation = b.unary(unary::kSqrt, b.add(b.max(variance, b.scalar(0)), b.scalar(kEpsilon)));
  EXPECT_FALSE(expect_fused(scaled(b.div(b.sub(x, mean), deviation))).rms);
}
TEST_F(FuseLayerNorm, VarianceOfTwoMomentsWithZeroOnTheLeft) {
  const ValueId mean = b.mean(x), variance = b.sub(b.mean(b.mul(x, x)), b.mul(mean, mean));
  expect_fused(scaled(b.div(b.sub(x, mean), b.unary(unary::kSqrt, b.add(b.max(b.scalar(0), variance), b.scalar(kEpsilon))))));
}
// The floor was thrown away where it stood on the left: outputs for quiet inputs were 19 times too large.
TEST_F(FuseLayerNorm, AnotherFloorThanZeroStays) {
  for (const bool left : {false, true}) {
    GraphBuilder own;
    const ValueId in = own.input("x", {DimExpr::symbol("batch"), 8}), mean = own.mean(in), variance = own.sub(own.mean(own.mul(in, in)), own.mul(mean, mean));
    const ValueId floor = own.scalar(0.01f), floored = left ? own.max(floor, variance) : own.max(variance, floor);
    own.output(own.div(own.sub(in, mean), own.unary(unary::kSqrt, own.add(floored, own.scalar(kEpsilon)))));
    EXPECT_EQ(apply(own.g, {pass_fuse_layer_norm}), 0) << left;
  }
}
TEST_F(FuseLayerNorm, MomentsOfAnotherValueStay) {
  const ValueId other = b.input("other", {DimExpr::symbol("batch"), DimExpr::symbol("tokens"), 8});
  const ValueId mean = b.mean(other), variance = b.sub(b.mean(b.mul(other, other)), b.mul(mean, mean));
  b.output(scaled(b.div(centred(), b.unary(unary::kSqrt, b.add(b.max(variance, b.scalar(0)), b.scalar(kEpsilon))))));
  EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 0);
}

TEST_F(FuseLayerNorm, OtherAxisStays) {
  const ValueId mean = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMean, {1}, true, false}), d = b.sub(x, mean);
  const ValueId variance = b.node(OpKind::kReduce, {b.mul(d, d)}, ReduceAttrs{reduce::kMean, {1}, true, false});
  b.output(b.div(d, b.unary(unary::kSqrt, b.add(variance, b.scalar(kEpsilon)))));
  EXPECT_EQ(apply(b.g, {pass_fuse_layer_norm}), 0);
}
// The centred value has another reader: it must still be there.
TEST_F(FuseLayerNorm, SharedParts) {
  const ValueId d = centred();
  b.output(scaled(b.div(d, root(b.pow(d, b.scalar(2))))));
  b.output(d);
  apply(b.g, {pass_fuse_layer_norm});
  only(b.g, OpKind::kNorm);
}
// The normalised value is also read before gamma.
TEST_F(FuseLayerNorm, NormalizedIsAnOutput) {
  const ValueId d = centred(), y = b.div(d, root(b.pow(d, b.scalar(2))));
  b.output(scaled(y));
  b.output(y);
  apply(b.g, {pass_fuse_layer_norm});
}

TEST(FuseResidualNorm, PostNorm) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8}), y = b.input("y", {DimExpr::symbol("batch"), 8});
  b.output(b.node(OpKind::kNorm, {b.add(x, y), kNone, b.weights({8}, 1), b.weights({8})}, FusedNormAttrs{}));
  EXPECT_EQ(apply(b.g, {pass_fuse_residual_norm}), 1);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 0);
  EXPECT_EQ(only(b.g, OpKind::kNorm).outputs.size(), 1u);
}

TEST(FuseResidualNorm, PreNormKeepsTheSum) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8}), y = b.input("y", {DimExpr::symbol("batch"), 8});
  const ValueId sum = b.add(x, y);
  b.output(b.add(b.node(OpKind::kNorm, {sum, kNone, b.weights({8}, 1), kNone}, FusedNormAttrs{kEpsilon, true}), sum));
  EXPECT_EQ(apply(b.g, {pass_fuse_residual_norm}), 1);
  EXPECT_EQ(only(b.g, OpKind::kNorm).outputs.size(), 2u);
}

TEST(FuseResidualNorm, BroadcastStays) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8}), y = b.input("y", {1, 8});
  b.output(b.node(OpKind::kNorm, {b.add(x, y), kNone, b.weights({8}, 1), kNone}, FusedNormAttrs{}));
  EXPECT_EQ(apply(b.g, {pass_fuse_residual_norm}), 0);
}

// Two norms on one sum: only one of them may take it.
TEST(FuseResidualNorm, TwoNormsOfOneSum) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8}), y = b.input("y", {DimExpr::symbol("batch"), 8});
  const ValueId sum = b.add(x, y);
  b.output(b.node(OpKind::kNorm, {sum, kNone, b.weights({8}, 1), kNone}, FusedNormAttrs{}));
  b.output(b.node(OpKind::kNorm, {sum, kNone, b.weights({8}, 1), kNone}, FusedNormAttrs{}));
  EXPECT_EQ(apply(b.g, {pass_fuse_residual_norm}), 1);
}

// On a square input a mean without its axis broadcasts along the wrong one: not a LayerNorm.
TEST_F(FuseLayerNorm, MeanWithoutKeptAxisStays) {
  GraphBuilder c;
  const ValueId square = c.input("x", {8, 8});
  const ValueId mean = c.node(OpKind::kReduce, {square}, ReduceAttrs{reduce::kMean, {-1}, false, false});
  const ValueId d = c.sub(square, mean), variance = c.mean(c.mul(d, d));
  c.output(c.div(d, c.unary(unary::kSqrt, c.add(variance, c.scalar(1e-5f)))));
  apply(c.g, {pass_fuse_layer_norm});
  for (const Node& n : c.g.nodes) {
    const bool layer_norm = !n.dead && n.kind == OpKind::kNorm && !n.as<FusedNormAttrs>().rms;
    EXPECT_FALSE(layer_norm) << "the mean was taken for a LayerNorm's";
  }
}

}  // namespace

}  // namespace edgeconv::testing
