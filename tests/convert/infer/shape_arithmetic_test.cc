// Shape subgraphs that exporters write: symbolic contents through Shape, Gather, Concat, Where and arithmetic, into Reshape.
#include <gtest/gtest.h>

#include <utility>

#include "convert/infer/infer.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
using edgeconv::testing::S;
namespace bb = ert::params::binary;

void infer_ok(Graph& g) {
  Diagnostics d;
  infer(g, d);
  ASSERT_NO_THROW(d.check());
}

TEST(ShapeArithmetic, HeadSplitOfTorchScript) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 32});
  const ValueId shape = b.node(OpKind::kShape, {x}, ShapeAttrs{});
  const auto dim = [&](int64_t i) {
    return b.node(OpKind::kUnsqueeze, {b.node(OpKind::kGather, {shape, b.scalar(i)}, AxisAttrs{0}), b.ints({0})}, AxesAttrs{{0}});
  };
  const ValueId target = b.node(OpKind::kConcat, {dim(0), dim(1), b.ints({4}), b.ints({8})}, AxisAttrs{0});
  const ValueId split =
      b.node(OpKind::kTranspose, {b.node(OpKind::kReshape, {x, target}, ReshapeAttrs{})}, TransposeAttrs{{0, 2, 1, 3}});
  b.output(split);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(split).shape, (Shape{B, 4, S, 8}));
  EXPECT_EQ(*b.g.value(target).elements, (std::vector<DimExpr>{B, S, 4, 8}));
}

TEST(ShapeArithmetic, ReshapeSolvesMinusOneAndCopiesZero) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 32});
  const ValueId merged = b.node(OpKind::kReshape, {x, b.ints({-1, 32})}, ReshapeAttrs{});
  const ValueId copied = b.node(OpKind::kReshape, {x, b.ints({0, 0, 4, -1})}, ReshapeAttrs{});
  const ValueId grouped = b.node(OpKind::kReshape, {merged, b.ints({-1, 4, 8})}, ReshapeAttrs{});
  b.output(merged), b.output(copied), b.output(grouped);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(merged).shape, (Shape{B * S, 32}));
  EXPECT_EQ(*b.g.value(copied).shape, (Shape{B, S, 4, 8}));
  EXPECT_EQ(*b.g.value(grouped).shape, (Shape{B * S, 4, 8}));
}

TEST(ShapeArithmetic, ExpandIdiomFoldsItsWhere) {
  GraphBuilder b;  // Expand(x, Where(Equal(shape, -1), ones, shape)) with shape = [-1, S, -1]
  const ValueId x = b.input("x", DType::kFloat, {B, 1, 8});
  const ValueId ids = b.input("ids", DType::kInt64, {B, S});
  const ValueId s =
      b.node(OpKind::kUnsqueeze,
             {b.node(OpKind::kGather, {b.node(OpKind::kShape, {ids}, ShapeAttrs{}), b.scalar(int64_t{1})}, AxisAttrs{0})},
             AxesAttrs{{0}});
  const ValueId target = b.node(OpKind::kConcat, {b.ints({-1}), s, b.ints({-1})}, AxisAttrs{0});
  const ValueId equal = b.node(OpKind::kBinary, {target, b.scalar(int64_t{-1})}, BinaryAttrs{bb::kEqual});
  const ValueId fixed = b.node(OpKind::kWhere, {equal, b.ints({1, 1, 1}), target});
  const ValueId y = b.node(OpKind::kExpand, {x, fixed});
  b.output(y);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(y).shape, (Shape{B, S, 8}));
  EXPECT_TRUE(b.g.value(equal).is_constant());
}

// T5 with a fixed length: the bucket of distance 0 is log(0) as an integer, to which more is added before a Where leaves it out.
TEST(ShapeArithmetic, NumbersThatLeave64BitsAreNoSizes) {
  GraphBuilder b;
  const ValueId buckets = b.ints({INT64_MIN, 3});
  const ValueId sum = b.node(OpKind::kBinary, {buckets, b.ints({-1, 1})}, BinaryAttrs{bb::kAdd});
  const ValueId negative = b.node(OpKind::kUnary, {buckets}, UnaryAttrs{ert::params::unary::kNeg});
  const ValueId distance_0 = b.node(OpKind::kBinary, {buckets, b.scalar(int64_t{0})}, BinaryAttrs{bb::kLess});
  const ValueId far = b.node(OpKind::kWhere, {distance_0, b.ints({7, 7}), sum});
  b.output(far), b.output(negative);
  infer_ok(b.g);
  ASSERT_TRUE(b.g.value(far).is_constant());
  EXPECT_EQ(b.g.value(far).constant->to_int64(), (std::vector<int64_t>{7, 4}));
  EXPECT_TRUE(b.g.value(negative).is_constant());
}

TEST(ShapeArithmetic, DivisionFloorsAndCancels) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S});
  const ValueId shape = b.node(OpKind::kShape, {x}, ShapeAttrs{});
  const ValueId product = b.node(OpKind::kReduce, {shape}, ReduceAttrs{ert::params::reduce::kProd, {}, false, false});
  const ValueId back = b.node(OpKind::kBinary, {product, b.node(OpKind::kGather, {shape, b.scalar(int64_t{0})}, AxisAttrs{0})},
                              BinaryAttrs{bb::kDiv});
  const ValueId half = b.node(OpKind::kBinary, {back, b.scalar(int64_t{2})}, BinaryAttrs{bb::kDiv});
  b.output(back), b.output(half);
  infer_ok(b.g);
  EXPECT_EQ(b.g.value(product).elements->at(0), B * S);
  EXPECT_EQ(b.g.value(back).elements->at(0), S);
  EXPECT_EQ(b.g.value(half).elements->at(0).evaluate({{"seq", 7}}), 3);
}

TEST(ShapeArithmetic, TableSliceAndRangeFollowTheSequence) {
  GraphBuilder b;
  const ValueId ids = b.input("ids", DType::kInt64, {B, S});
  const ValueId s = b.node(OpKind::kGather, {b.node(OpKind::kShape, {ids}, ShapeAttrs{}), b.ints({1})}, AxisAttrs{0});
  const ValueId table = b.floats({1, 16}, std::vector<float>(16, 1.0f));
  const ValueId cut = b.node(OpKind::kSlice, {table, b.ints({0}), s, b.ints({1})});
  const ValueId range =
      b.node(OpKind::kRange, {b.scalar(int64_t{0}), b.node(OpKind::kSqueeze, {s}, AxesAttrs{{0}}), b.scalar(int64_t{1})});
  const ValueId last = b.node(OpKind::kSlice, {ids, b.ints({-1}), b.ints({INT64_MAX}), b.ints({1})});
  const ValueId tail = b.node(OpKind::kSlice, {ids, b.ints({1}), b.ints({INT64_MAX}), b.ints({1})});
  const ValueId capped = b.node(OpKind::kSlice, {ids, b.ints({0}), b.ints({4}), b.ints({1})});
  for (ValueId v : {cut, range, last, tail, capped}) b.output(v);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(cut).shape, (Shape{1, S}));
  EXPECT_EQ(*b.g.value(range).shape, (Shape{S}));
  EXPECT_EQ(*b.g.value(last).shape, (Shape{B, 1}));
  EXPECT_EQ(*b.g.value(tail).shape, (Shape{B, S - 1}));
  EXPECT_EQ(*b.g.value(capped).shape, (Shape{B, DimExpr::min(4, S)}));
}

// tf2onnx writes the end of an axis as the largest int32: the size had been min(batch, 2147483647), and what read it saw another dim than the batch.
TEST(ShapeArithmetic, SliceUpToTheLargestInt32GoesToTheEnd) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, 12});
  const ValueId columns = b.node(OpKind::kSlice, {x, b.ints({0, 4}), b.ints({INT32_MAX, 8}), b.ints({0, 1})});
  b.output(columns);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(columns).shape, (Shape{B, 4}));
}

TEST(ShapeArithmetic, ConstantContentsFold) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 64});
  const ValueId d = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{-1})}, AxisAttrs{0});
  const ValueId root =
      b.node(OpKind::kUnary, {b.node(OpKind::kCast, {d}, CastAttrs{DType::kFloat})}, UnaryAttrs{ert::params::unary::kSqrt, 0});
  b.output(root);
  infer_ok(b.g);
  ASSERT_TRUE(b.g.value(root).is_constant());
  EXPECT_EQ(b.g.value(root).constant->as<float>()[0], 8.0f);
  EXPECT_TRUE(b.g.nodes.empty() || b.g.nodes.size() == 1u);  // at most the Shape, which nobody reads any more
}

// A loop that was unrolled turns the same weight in every step: an OCR model of 19 MB took 600 MB.
TEST(Folding, TheSameStepsOfAWeightShareTheirResult) {
  GraphBuilder b;
  constexpr int64_t kSize = 64;  // small tensors have no memory to share
  std::vector<float> contents;
  for (int i = 0; i < kSize * kSize; ++i) contents.push_back(static_cast<float>(i));
  const ValueId x = b.input("x", DType::kFloat, {B, kSize}), w = b.floats({kSize, kSize}, contents);
  const auto turned = [&](std::vector<int64_t> perm) { return b.node(OpKind::kTranspose, {w}, TransposeAttrs{std::move(perm)}); };
  const ValueId first = turned({1, 0}), again = turned({1, 0}), other = turned({0, 1});
  for (const ValueId v : {first, again, other}) b.output(b.node(OpKind::kMatMul, {x, v}));
  infer_ok(b.g);
  for (const ValueId v : {first, again, other}) ASSERT_TRUE(b.g.value(v).constant);
  EXPECT_EQ(std::as_const(*b.g.value(first).constant).data(), std::as_const(*b.g.value(again).constant).data());
  EXPECT_NE(std::as_const(*b.g.value(first).constant).data(), std::as_const(*b.g.value(other).constant).data());
  EXPECT_EQ(b.g.value(again).constant->as<float>()[1], static_cast<float>(kSize));
  EXPECT_EQ(b.g.value(other).constant->as<float>()[1], 1.0f);
}

TEST(ShapeArithmetic, ReshapeFromDataIsAProblem) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S});
  const ValueId n = b.input("n", DType::kInt64, {1});
  b.output(b.node(OpKind::kReshape, {x, n}, ReshapeAttrs{}));
  Diagnostics d;
  infer(b.g, d);
  ASSERT_EQ(d.problems().size(), 1u);
  EXPECT_NE(d.problems()[0].reason.find("'n'"), std::string::npos);
}

// Funnel: positions of pooled tokens are [1 - 2, 1, 3, ..], and what is computed from their ends bounds the relative positions.
TEST(ShapeArithmetic, EndsOfPositionsOfUnknownNumberAreFollowed) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 8});
  const ValueId size = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{1})}, AxisAttrs{0});
  const ValueId positions = b.node(OpKind::kRange, {b.scalar(int64_t{0}), size, b.scalar(int64_t{1})});
  const ValueId tokens = b.node(OpKind::kSlice, {positions, b.ints({1}), b.ints({INT64_MAX}), b.ints({0}), b.ints({2})});
  const ValueId pooled = b.node(OpKind::kConcat, {b.ints({-1}), tokens}, AxisAttrs{0});
  const auto element = [&](ValueId v, int64_t i) { return b.node(OpKind::kGather, {v, b.scalar(i)}, AxisAttrs{0}); };
  const auto sub = [&](ValueId l, ValueId r) { return b.node(OpKind::kBinary, {l, r}, BinaryAttrs{bb::kSub}); };
  const ValueId nearest = sub(element(pooled, 0), element(positions, 0)),
                farthest = sub(element(pooled, 0), element(positions, -1));
  const ValueId relative = b.node(OpKind::kRange, {nearest, sub(farthest, b.scalar(int64_t{1})), b.scalar(int64_t{-1})});
  b.output(relative), b.output(pooled);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(farthest).elements, (std::vector<DimExpr>{DimExpr(0) - S}));
  EXPECT_EQ(*b.g.value(relative).shape, (Shape{S}));
}

// Both had been evaluated before anyone asked how large they are: 201 bytes took 6 GB.
TEST(ShapeArithmetic, SizesThatAreFloatsAreKnownBeforeFolding) {
  GraphBuilder b;
  const ValueId hot = b.node(OpKind::kOneHot, {b.ints({0, 0, 0}), b.scalar(536870912.0f), b.floats({2}, {0, 1})}, AxisAttrs{-1});
  const auto range = [&](float limit, float step) {
    return b.node(OpKind::kRange, {b.scalar(0.25f), b.scalar(limit), b.scalar(step)});
  };
  const ValueId huge = range(1.5e7f, 0.0078125f), small = range(1.0f, 0.25f);
  b.output(hot), b.output(huge), b.output(small);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(hot).shape, (Shape{3, 536870912}));
  EXPECT_EQ(*b.g.value(huge).shape, (Shape{1919999968}));
  EXPECT_FALSE(b.g.value(hot).constant || b.g.value(huge).constant);
  EXPECT_TRUE(b.g.value(small).constant && b.g.value(small).constant->elements() == 3);
}

// transformers since 4.5x counts them in the type of the embeddings.
TEST(ShapeArithmetic, EndsOfPositionsInFloatsAreFollowed) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 8});
  const ValueId size = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{1})}, AxisAttrs{0});
  const auto range = [&](ValueId from, ValueId to, int64_t by) { return b.node(OpKind::kRange, {from, to, b.scalar(by)}); };
  const auto cast = [&](ValueId v, DType to) { return b.node(OpKind::kCast, {v}, CastAttrs{to}); };
  const ValueId positions = cast(range(b.scalar(int64_t{0}), size, 1), DType::kFloat);
  const ValueId last = b.node(OpKind::kGather, {positions, b.scalar(int64_t{-1})}, AxisAttrs{0});
  const ValueId behind = b.node(OpKind::kBinary, {last, b.scalar(2.0f)}, BinaryAttrs{bb::kAdd});
  const ValueId relative = range(b.scalar(int64_t{0}), cast(behind, DType::kInt64), 1);
  const ValueId half = b.node(OpKind::kBinary, {last, b.scalar(0.5f)}, BinaryAttrs{bb::kAdd});
  b.output(relative), b.output(half);
  infer_ok(b.g);
  EXPECT_EQ(*b.g.value(relative).shape, (Shape{S + DimExpr(1)}));
  EXPECT_FALSE(b.g.value(half).elements) << "no whole number";
}

// The last of them is one that was pooled, for which there must be any: [1 - 2, 1, 3, ..] of positions without the last one, too.
TEST(ShapeArithmetic, TheLastPooledPositionIsNoClsToken) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S, 8});
  const ValueId size = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{1})}, AxisAttrs{0});
  const ValueId positions = b.node(OpKind::kRange, {b.scalar(int64_t{0}), size, b.scalar(int64_t{1})});
  const ValueId inner = b.node(OpKind::kSlice, {positions, b.ints({1}), b.ints({-1}), b.ints({0}), b.ints({1})});
  const ValueId tokens = b.node(OpKind::kSlice, {inner, b.ints({0}), b.ints({INT64_MAX}), b.ints({0}), b.ints({2})});
  const ValueId pooled = b.node(OpKind::kConcat, {b.ints({-1}), tokens}, AxisAttrs{0});
  const ValueId last = b.node(OpKind::kGather, {pooled, b.scalar(int64_t{-1})}, AxisAttrs{0});
  b.output(last);
  infer_ok(b.g);
  ASSERT_TRUE(b.g.value(last).elements);
  for (const auto& [tokens_in, want] : {std::pair(3, 1), std::pair(4, 1), std::pair(5, 3), std::pair(12, 9)})
    EXPECT_EQ((*b.g.value(last).elements)[0].evaluate({{S.symbol_name(), tokens_in}}), want) << tokens_in;
  EXPECT_GE(b.g.least_dims[S.symbol_name()], 3) << "of two tokens none is left";
}

// What may lie outside of its part is not guessed.
TEST(ShapeArithmetic, ElementsThatMayBeInEitherPartAreNotFollowed) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S});
  const ValueId size = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{1})}, AxisAttrs{0});
  const ValueId positions = b.node(OpKind::kRange, {b.scalar(int64_t{0}), size, b.scalar(int64_t{1})});
  const ValueId joined = b.node(OpKind::kConcat, {positions, positions}, AxisAttrs{0});
  const ValueId third = b.node(OpKind::kGather, {joined, b.scalar(int64_t{2})}, AxisAttrs{0});
  b.output(third);
  infer_ok(b.g);
  EXPECT_FALSE(b.g.value(third).elements);
}

}  // namespace
}  // namespace edgeconv_test
