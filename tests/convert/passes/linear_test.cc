// Passes around Linear, embeddings, pooling and normalisation, each on the smallest graph that shows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class LinearPasses : public ::testing::Test {
 protected:
  LinearPasses() : x(b.input("x", {B, S, 8})) {}
  GraphBuilder b;
  ValueId x;
};

TEST_F(LinearPasses, MatMulAndAddAreOneLinear) {
  b.output(b.add(b.weights({6}), b.matmul(x, b.weights({8, 6}))));
  EXPECT_EQ(apply(b.g, {pass_make_linear}), 2);
  EXPECT_NE(only(b.g, OpKind::kLinear).in(2), kNone);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 0);
}

TEST_F(LinearPasses, ScalarBias) {
  b.output(b.add(b.matmul(x, b.weights({8, 6})), b.scalar(0.25f)));
  apply(b.g, {pass_make_linear});
  EXPECT_EQ(only(b.g, OpKind::kLinear).as<LinearAttrs>().activation, ert::params::linear::kNoActivation);
}

// A bias with its own rows is no bias of a Linear.
TEST_F(LinearPasses, AdditionThatWidensStays) {
  const ValueId flat = b.input("flat", {1, 8});
  b.output(b.add(b.matmul(flat, b.weights({8, 6})), b.weights({5, 6})));
  apply(b.g, {pass_make_linear});
  EXPECT_EQ(only(b.g, OpKind::kLinear).in(2), kNone);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 1);
}

TEST_F(LinearPasses, ProductReadTwiceKeepsItsAddition) {
  const ValueId product = b.matmul(x, b.weights({8, 6}));
  b.output(b.add(product, b.weights({6})));
  b.output(b.unary(Unary::kRelu, product));
  apply(b.g, {pass_make_linear});
  EXPECT_EQ(only(b.g, OpKind::kLinear).in(2), kNone);
}

TEST_F(LinearPasses, ActivationJoins) {
  b.output(b.unary(Unary::kGeluErf, b.add(b.matmul(x, b.weights({8, 6})), b.weights({6}))));
  EXPECT_EQ(apply(b.g, {pass_make_linear, pass_fuse_linear_activation}), 1);
  EXPECT_EQ(only(b.g, OpKind::kLinear).as<LinearAttrs>().activation, static_cast<int>(Unary::kGeluErf));
}

TEST_F(LinearPasses, ActivationOfASharedValueStays) {
  const ValueId y = b.matmul(x, b.weights({8, 6}));
  b.output(b.unary(Unary::kRelu, y));
  b.output(y);
  EXPECT_EQ(apply(b.g, {pass_make_linear, pass_fuse_linear_activation}), 0);
}

TEST_F(LinearPasses, AffineFoldsIntoWeights) {
  b.output(b.add(b.mul(b.add(b.matmul(x, b.weights({8, 6})), b.weights({6})), b.weights({6}, 2)), b.weights({6})));
  EXPECT_EQ(apply(b.g, {pass_make_linear, pass_fold_affine, pass_fold_affine}), 1);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 0) << b.g.dump();
}

TEST_F(LinearPasses, BatchNormFolds) {
  const ValueId flat = b.input("flat", {B, 8});
  const ValueId y = b.matmul(flat, b.weights({8, 6}));
  b.output(b.node(OpKind::kBatchNormalization, {y, b.weights({6}, 1), b.weights({6}), b.weights({6}), b.weights({6}, 1)},
                  BatchNormAttrs{1e-5f}));
  apply_all(b.g);
  only(b.g, OpKind::kLinear);
  EXPECT_EQ(count(b.g, OpKind::kBatchNormalization) + count(b.g, OpKind::kBinary), 0) << b.g.dump();
}

// Channels are axis 1 of [batch, channels, time].
TEST_F(LinearPasses, BatchNormOfChannels) {
  const ValueId image = b.input("image", {B, 6, 7});
  b.output(b.node(OpKind::kBatchNormalization, {image, b.weights({6}, 1), b.weights({6}), b.weights({6}), b.weights({6}, 1)},
                  BatchNormAttrs{1e-3f}));
  EXPECT_EQ(apply(b.g, {pass_decompose_batch_norm}), 1);
}

TEST_F(LinearPasses, EqualNodesMerge) {
  const ValueId a = b.unary(Unary::kTanh, x), again = b.unary(Unary::kTanh, x), other = b.unary(Unary::kSigmoid, x);
  b.output(b.add(b.mul(a, again), other));
  EXPECT_EQ(apply(b.g, {pass_merge_equal_nodes}), 1);
  EXPECT_EQ(count(b.g, OpKind::kUnary), 2);
}

TEST_F(LinearPasses, EqualConstantsMerge) {
  b.output(b.mul(b.mul(b.add(x, b.scalar(2)), b.scalar(2)), b.scalar(3)));
  EXPECT_EQ(apply(b.g, {pass_merge_equal_nodes}), 1) << "2 and 2 merge, 3 stays";
}

TEST_F(LinearPasses, IdentitiesVanish) {
  const ValueId same = b.node(OpKind::kCast, {b.transpose(b.node(OpKind::kIdentity, {x}), {0, 1, 2})}, CastAttrs{DType::kFloat});
  b.output(b.unary(Unary::kRelu, same));
  EXPECT_EQ(apply(b.g, {pass_remove_identities}), 3);
  EXPECT_EQ(b.g.nodes.size(), 1u);
}

// A file of 1.6 MB is one of 60,000: each removed one walked over all nodes, 20 s in all. The reader may stand before what it reads.
TEST_F(LinearPasses, LongChainsOfIdentitiesTakeTimeByTheirLength) {
  constexpr int kLong = 60000;
  ValueId v = x;
  for (int i = 0; i < kLong; ++i) v = b.node(OpKind::kIdentity, {v});
  b.output(b.unary(Unary::kRelu, v));
  std::rotate(b.g.nodes.begin(), b.g.nodes.end() - 1, b.g.nodes.end());
  Diagnostics d;
  const std::clock_t begin = std::clock();
  EXPECT_EQ(pass_remove_identities(b.g, d), kLong);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
  EXPECT_EQ(b.g.nodes.front().in(0), x);
}

// A file of .5 MB took 46 s: each node that was merged walked over all others. Of constants and products every second one is merged.
TEST_F(LinearPasses, ManyEqualNodesMergeInTimeByTheirNumber) {
  constexpr int kMany = 20000;
  ValueId sum = x;
  for (int i = 0; i < kMany; ++i) {
    const ValueId c = b.scalar(static_cast<float>(i / 2));
    sum = b.node(OpKind::kBinary, {sum, b.node(OpKind::kBinary, {x, c}, BinaryAttrs{binary::kMul})}, BinaryAttrs{binary::kAdd});
  }
  b.output(sum);
  Diagnostics d;
  const std::clock_t begin = std::clock();
  EXPECT_EQ(pass_merge_equal_nodes(b.g, d), kMany) << "half of the constants, and of the products";
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
}

TEST_F(LinearPasses, IdentityToAnOutputKeepsTheOutput) {
  b.output(b.node(OpKind::kIdentity, {x}));
  apply(b.g, {pass_remove_identities});
  EXPECT_EQ(b.g.outputs.size(), 1u);
  EXPECT_NE(b.g.outputs[0], x);
}

// Linear of (ids == numbers) as floats.
ValueId linear_of_one_hot(GraphBuilder& b, ValueId ids, const std::vector<int64_t>& numbers) {
  const int64_t count = static_cast<int64_t>(numbers.size());
  const ValueId sought = b.constant(Tensor::of<int64_t>(DType::kInt64, {1, 1, count}, numbers));
  const ValueId equal = b.node(OpKind::kBinary, {b.reshape(ids, {0, 0, 1}), sought}, BinaryAttrs{binary::kEqual});
  return b.add(b.matmul(b.node(OpKind::kCast, {equal}, CastAttrs{DType::kFloat}), b.weights({count, 5})), b.weights({5}));
}

// random_inputs draws ids from 0 to 3: the last one has no row, nor have those that are made negative.
TEST_F(LinearPasses, OneHotRowsAreAnEmbedding) {
  for (const bool negative : {false, true}) {
    GraphBuilder one;
    ValueId ids = one.input("ids", {DimExpr::symbol("batch"), 7}, DType::kInt64);
    if (negative) ids = one.sub(ids, one.constant(Tensor::of<int64_t>(DType::kInt64, {}, {2})));
    one.output(one.unary(Unary::kTanh, linear_of_one_hot(one, ids, {0, 1, 2})));
    apply_all(one.g);
    only(one.g, OpKind::kEmbedding);
    EXPECT_EQ(count(one.g, OpKind::kLinear), 0) << one.g.dump();
    EXPECT_EQ(count(one.g, OpKind::kUnary), 0) << "the activation is in the table";
  }
}

TEST_F(LinearPasses, OtherComparisonsAreNoEmbedding) {
  for (const std::vector<int64_t>& numbers : {std::vector<int64_t>{1, 2, 3}, {0, 2, 1}, {0, 1, 1}}) {
    GraphBuilder one;
    one.output(linear_of_one_hot(one, one.input("ids", {DimExpr::symbol("batch"), 7}, DType::kInt64), numbers));
    apply_all(one.g);
    EXPECT_EQ(count(one.g, OpKind::kEmbedding), 0) << one.g.dump();
  }
  GraphBuilder floats;  // .5 is no id
  const ValueId numbers = floats.constant(Tensor::of<float>(DType::kFloat, {1, 1, 3}, {0, 1, 2}));
  const ValueId values = floats.reshape(floats.input("values", {DimExpr::symbol("batch"), 7}), {0, 0, 1});
  const ValueId equal = floats.node(OpKind::kBinary, {values, numbers}, BinaryAttrs{binary::kEqual});
  floats.output(floats.matmul(floats.node(OpKind::kCast, {equal}, CastAttrs{DType::kFloat}), floats.weights({3, 5})));
  apply_all(floats.g);
  EXPECT_EQ(count(floats.g, OpKind::kEmbedding), 0);
}

TEST_F(LinearPasses, EmbeddingOfIds) {
  const ValueId ids = b.input("ids", {B, S}, DType::kInt64);
  b.output(b.node(OpKind::kGather, {b.weights({4, 6}), ids}, AxisAttrs{0}));
  EXPECT_EQ(apply(b.g, {pass_fuse_embedding}), 1);
  only(b.g, OpKind::kEmbedding);
}

// sentence-transformers: the mask is widened, summed and bounded below.
TEST_F(LinearPasses, MeanPoolWithExpandedMask) {
  const ValueId mask = b.input("mask", {B, S}, DType::kInt64);
  const ValueId wide =
      b.node(OpKind::kExpand, {b.node(OpKind::kUnsqueeze, {mask, b.ints({-1})}, AxesAttrs{{-1}}), b.ints({1, 1, 8})});
  const ValueId m = b.node(OpKind::kCast, {wide}, CastAttrs{DType::kFloat});
  const auto sum = [&](ValueId v) { return b.node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kSum, {1}, false, false}); };
  b.output(b.div(sum(b.mul(x, m)), b.max(sum(m), b.scalar(1e-9f))));
  apply_all(b.g);
  only(b.g, OpKind::kMeanPool);
  EXPECT_EQ(count(b.g, OpKind::kReduce), 0) << b.g.dump();
}

TEST_F(LinearPasses, L2NormalizeSpellings) {
  const ValueId p = b.input("p", {B, 8});
  const auto bounded = [&](ValueId norm) { return b.div(p, b.max(norm, b.scalar(1e-12f))); };
  const ValueId l2 = b.node(OpKind::kReduce, {p}, ReduceAttrs{reduce::kL2, {-1}, true, false});
  const ValueId sum = b.node(OpKind::kReduce, {b.mul(p, p)}, ReduceAttrs{reduce::kSum, {1}, true, false});
  const ValueId squares = b.node(OpKind::kReduce, {p}, ReduceAttrs{reduce::kSumSquare, {-1}, true, false});
  b.output(bounded(l2));
  b.output(bounded(b.unary(unary::kSqrt, sum)));
  b.output(bounded(b.unary(unary::kSqrt, squares)));
  b.output(b.div(p, l2));  // without a bound 0 / 0 must stay NaN
  EXPECT_EQ(apply(b.g, {pass_fuse_l2_normalize}), 3);
  EXPECT_EQ(count(b.g, OpKind::kL2Normalize), 3);
}

// A bound of the fused ops is a number: with these the runtime refused the blob, exit 1.
TEST_F(LinearPasses, BoundsThatAreNoNumbersStay) {
  for (const float bound : {INFINITY, NAN}) {
    GraphBuilder own;
    const ValueId tokens = own.input("tokens", {B, S, 8}), mask = own.input("mask", {B, S, 1});
    const auto sum = [&](ValueId v) { return own.node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kSum, {1}, false, false}); };
    const ValueId pooled = own.div(sum(own.mul(tokens, mask)), own.max(sum(mask), own.scalar(bound)));
    const ValueId l2 = own.node(OpKind::kReduce, {pooled}, ReduceAttrs{reduce::kL2, {-1}, true, false});
    own.output(own.div(pooled, own.max(l2, own.scalar(bound))));
    finish(own.g);
    Diagnostics d;
    run_passes(own.g, d);
    EXPECT_EQ(count(own.g, OpKind::kMeanPool) + count(own.g, OpKind::kL2Normalize), 0) << own.g.dump();
  }
}

// Expand of a mask moves behind the arithmetic on it.
TEST_F(LinearPasses, ExpandSinks) {
  const ValueId mask = b.input("mask", {B, 1, S});
  const ValueId shape = b.g.add_value("full", DType::kInt64, Shape{3});
  b.g.value(shape).elements = Shape{B, S, S};
  const ValueId wide = b.node(OpKind::kExpand, {mask, shape});
  const ValueId bias = b.mul(b.sub(b.scalar(1), wide), b.scalar(-100));
  const ValueId scores = b.input("scores", {B, S, S});
  b.output(b.add(scores, bias));
  for (int i = 0; i < 3; ++i) apply(b.g, {pass_sink_expand});
  EXPECT_EQ(count(b.g, OpKind::kExpand), 0) << b.g.dump();
}

// The shape came from a value that had just moved: whether its contents were still there depended on the capacity of the graph.
// The mask of a causal Transformer of Keras: ones of every text, and a triangle.
TEST_F(LinearPasses, ExpandSinksBehindConstants) {
  const ValueId scores = b.input("scores", {B, S, 3, 3});
  const ValueId shape = b.g.add_value("wide", DType::kInt64, Shape{4});
  b.g.value(shape).elements = std::vector<DimExpr>{B, S, 3, 3};
  const ValueId ones = b.node(OpKind::kExpand, {b.scalar(1), shape});
  b.output(b.add(scores, b.mul(b.sub(ones, b.weights({3, 3})), b.scalar(-4))));
  apply(b.g, {pass_sink_expand, pass_sink_expand, pass_sink_expand});
  EXPECT_EQ(count(b.g, OpKind::kExpand), 0) << b.g.dump();
}

TEST_F(LinearPasses, TheShapeOfAnExpandOutlivesValuesThatMove) {
  for (const size_t spare : {0u, 1u, 2u, 3u}) {
    GraphBuilder own;
    const ValueId mask = own.input("mask", {B, 1, S});
    const ValueId shape = own.g.add_value("full", DType::kInt64, Shape{3});
    own.g.value(shape).elements = Shape{B, S, S};
    own.output(own.unary(Unary::kTanh, own.node(OpKind::kExpand, {mask, shape})));
    finish(own.g);
    own.g.values.shrink_to_fit();
    own.g.values.reserve(own.g.values.size() + spare);
    Diagnostics d;
    EXPECT_EQ(pass_sink_expand(own.g, d), 1);
    own.g.remove_dead();
    EXPECT_EQ(own.g.value(only(own.g, OpKind::kExpand).in(1)).elements, (Shape{B, S, S})) << spare;
  }
}

}  // namespace

}  // namespace edgeconv::testing
