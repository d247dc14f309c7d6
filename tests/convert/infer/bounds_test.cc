// Bounds of symbolic integers, and what they decide: a convolution over audio needs a smallest number of samples.
#include "convert/infer/bounds.h"

#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
namespace bb = ert::params::binary;

const DimExpr kN = DimExpr::symbol("samples");

TEST(Bounds, SmallestSizeWithAWindow) {
  LeastDims least;
  const DimExpr frames = (kN.floor_div(10) + DimExpr(1)).floor_div(2) - DimExpr(1);
  EXPECT_EQ(lower_bound(frames, least), -1);
  note_positive(frames, least);
  EXPECT_EQ(least, (LeastDims{{"samples", 30}}));
  EXPECT_EQ(lower_bound(frames, least), 1);
  EXPECT_EQ(lower_bound(kN.floor_div(10) - DimExpr(3), least), 0);
  EXPECT_EQ(always_less(DimExpr(0), frames, least), true);
  EXPECT_EQ(always_equal(frames, DimExpr(-1), least), false);
  note_positive(kN - DimExpr(4), least);
  EXPECT_EQ(least.at("samples"), 30) << "a weaker need changes nothing";
}

// As TensorFlow's exporters write x mod 4: x - x / 4 * 4.
TEST(Bounds, RemaindersThatAreComputed) {
  const DimExpr four(4), rest = kN - kN.floor_div(four) * four;
  EXPECT_EQ(lower_bound(rest), 0);
  EXPECT_EQ(lower_bound(DimExpr(0) - rest), -3);
  EXPECT_EQ(lower_bound(four - rest), 1);
  EXPECT_EQ(lower_bound(DimExpr(3) - rest - rest), -3);
  EXPECT_EQ(lower_bound(DimExpr(0) - kN.floor_div(four)), std::nullopt);
  EXPECT_EQ(always_less(rest, four), true);
  EXPECT_EQ(always_less(rest, DimExpr(3)), std::nullopt);
  const DimExpr pad = four - rest, nested = pad - pad.floor_div(four) * four;  // none where nothing is left over
  EXPECT_EQ(lower_bound(nested), 0);
  EXPECT_EQ(always_less(nested, four), true);
}

// x[1:] of an axis of unknown size: size - min(size, 1), which a file compares with -1.
TEST(Bounds, WhatASliceLeavesIsNotNegative) {
  const DimExpr blocks = kN.floor_div(4), one(1), left = blocks - DimExpr::min(blocks, one);
  EXPECT_EQ(lower_bound(left), 0);
  EXPECT_EQ(always_equal(left, DimExpr(-1)), false);
  EXPECT_EQ(lower_bound(left + blocks - DimExpr::min(blocks, DimExpr(7))), 0);
  EXPECT_EQ(lower_bound(DimExpr::max(kN.floor_div(2), blocks) - kN.floor_div(2)), 0);
  EXPECT_EQ(lower_bound(DimExpr::min(blocks, one) - blocks), std::nullopt);
}

// Each of them had its sides tried anew for each side of the one around it: 31 took more than a minute.
TEST(Bounds, MaximaInsideOfOthersTakeTimeByTheirNumber) {
  DimExpr e = kN;
  for (int i = 0; i < 31; ++i) e = DimExpr::max(e - DimExpr(2 + i % 3), DimExpr(2 + i % 5));
  EXPECT_EQ(lower_bound(e), 4) << "of the two outermost, 6 - 2";
}

TEST(Bounds, NothingIsNotedOfWhatMayShrink) {
  LeastDims least;
  note_positive(DimExpr(100) - kN, least);
  note_positive(kN - B, least);
  note_positive(kN.mod(DimExpr(7)) - DimExpr(2), least);
  note_positive(kN, least);
  EXPECT_TRUE(least.empty());
}

// Exporters compute the number of frames again, from the number of samples, in whole numbers: ONNX's Div rounds to zero, which is
// rounding down here, because no convolution has fewer samples.
TEST(Bounds, FramesOfAConvolutionComputedAgain) {
  GraphBuilder b;
  const ValueId audio = b.input("audio", DType::kFloat, {B, 1, kN});
  ConvAttrs a;
  a.kernel = {10};
  a.strides = {5};
  const ValueId x = b.node(OpKind::kConv, {audio, b.floats({4, 1, 10}, std::vector<float>(40, 0.1f))}, a);
  const ValueId shape = b.node(OpKind::kShape, {audio}, ShapeAttrs{});
  const ValueId samples = b.node(OpKind::kGather, {shape, b.ints({2})}, AxisAttrs{0});
  const auto op = [&](bb::Kind kind, ValueId l, int64_t r) {
    return b.node(OpKind::kBinary, {l, b.ints({r})}, BinaryAttrs{kind});
  };
  const ValueId frames = op(bb::kAdd, op(bb::kDiv, op(bb::kSub, samples, 10), 5), 1);
  const ValueId target = b.node(OpKind::kConcat, {b.ints({-1, 2, 2}), frames}, AxisAttrs{0});
  const ValueId y = b.node(OpKind::kReshape, {x, target}, ReshapeAttrs{});
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_EQ(*b.g.value(y).shape, (Shape{B, 2, 2, kN.floor_div(5) - DimExpr(1)}));
  EXPECT_EQ(b.g.least_dims, (LeastDims{{"samples", 10}}));
}

// Two frames ran, and gave numbers; PyTorch and ONNX Runtime refuse a mirror of three of them.
TEST(Bounds, AMirrorIsShorterThanItsAxis) {
  GraphBuilder b;
  PadAttrs reflect, edge;
  reflect.mode = ert::params::pad::kReflect;
  edge.mode = ert::params::pad::kEdge;
  const ValueId x = b.input("x", DType::kFloat, {4, DimExpr::symbol("frames")}), y = b.input("y", DType::kFloat, {4, DimExpr::symbol("steps")});
  b.output(b.node(OpKind::kPad, {x, b.ints({0, 2, 0, 3})}, reflect));
  b.output(b.node(OpKind::kPad, {y, b.ints({0, 2, 0, 3})}, edge));
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(b.g.least_dims, (LeastDims{{"frames", 4}}));
}

TEST(Bounds, PowersOfSizes) {
  GraphBuilder b;  // a square number of patches
  const ValueId x = b.input("x", DType::kFloat, {4, kN, kN});
  const ValueId n = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.ints({1})}, AxisAttrs{0});
  const ValueId squared = b.node(OpKind::kBinary, {n, b.scalar(int64_t{2})}, BinaryAttrs{bb::kPow});
  const ValueId y = b.node(OpKind::kReshape, {x, b.node(OpKind::kConcat, {b.ints({4}), squared}, AxisAttrs{0})}, ReshapeAttrs{});
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_EQ(*b.g.value(y).shape, (Shape{4, kN * kN}));
}

}  // namespace
}  // namespace edgeconv_test
