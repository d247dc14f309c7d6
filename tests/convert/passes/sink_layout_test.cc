// sink_layout: what a convolution left behind moves past elementwise nodes, sums, pools and their like, and cancels before the next one.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

ConvAttrs window(std::vector<int64_t> kernel, std::vector<int64_t> pads, int64_t group = 1) {
  ConvAttrs a;
  a.kernel = std::move(kernel);
  a.pads = std::move(pads);
  a.group = group;
  return a;
}

class SinkLayout : public ::testing::Test {
 protected:
  GraphBuilder b;
  ValueId conv(ValueId x, int64_t channels, int64_t filters) {
    return b.node(OpKind::kConv, {x, b.weights({filters, channels, 3, 3}), b.weights({filters})}, window({3, 3}, {1, 1, 1, 1}));
  }
  ValueId image(const char* name = "x") { return b.input(name, {B, 4, 6, 5}); }
  ValueId relu6(ValueId x) { return b.node(OpKind::kBinary, {b.max(x, b.scalar(0)), b.scalar(6)}, BinaryAttrs{binary::kMin}); }
  // Transposes that are left when all passes have run.
  int transposes_left() {
    apply_all(b.g);
    return count(b.g, OpKind::kTranspose);
  }
};

TEST_F(SinkLayout, ActivationsBetweenConvolutions) {
  b.output(b.unary(Unary::kRelu, conv(relu6(conv(image(), 4, 8)), 8, 3)));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump() << "one on the way in, one on the way out";
  EXPECT_EQ(count(b.g, OpKind::kUnary), 0) << "both are part of their Linears";
}

TEST_F(SinkLayout, ResidualSum) {
  const ValueId x = conv(image(), 4, 8);
  b.output(conv(b.add(x, conv(x, 8, 8)), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

// Conv1D of TensorFlow: a convolution of pictures with one row, which is there for it alone. Causal: padded in front.
TEST_F(SinkLayout, FramesAsPicturesOfOneRow) {
  const auto conv1d = [&](ValueId x, int64_t channels, int64_t filters) {
    const ValueId row = b.node(OpKind::kUnsqueeze, {x}, AxesAttrs{{2}});
    const ValueId y = b.node(OpKind::kConv, {row, b.weights({filters, channels, 1, 3}), b.weights({filters})}, window({1, 3}, {0, 0, 0, 0}));
    const ValueId frames = b.unary(Unary::kRelu, b.node(OpKind::kSqueeze, {y}, AxesAttrs{{-2}}));
    return b.node(OpKind::kPad, {frames, b.ints({0, 0, 2, 0, 0, 0}), b.scalar(0)}, PadAttrs{});
  };
  b.output(conv1d(conv1d(conv1d(b.input("x", {B, 4, 12}), 4, 8), 8, 8), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump() << "one on the way in, one on the way out";
  EXPECT_EQ(count(b.g, OpKind::kUnary), 0) << b.g.dump();
}

TEST_F(SinkLayout, DepthwiseTakesItsActivation) {
  const ValueId x = conv(image(), 4, 8);
  const ValueId own = b.node(OpKind::kConv, {x, b.weights({8, 1, 3, 3}), b.weights({8})}, window({3, 3}, {1, 1, 1, 1}, 8));
  b.output(conv(relu6(own), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
  EXPECT_EQ(only(b.g, OpKind::kDepthwiseConv).as<DepthwiseConvAttrs>().activation, static_cast<int>(Unary::kRelu6));
}

// A gate per channel, as in squeeze and excitation; and constants of all ranks.
TEST_F(SinkLayout, GatesAndConstants) {
  const ValueId x = conv(image(), 4, 8);
  const ValueId squeezed = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMean, {2, 3}, true, false});
  const ValueId gate =
      b.unary(Unary::kSigmoid, b.node(OpKind::kConv, {squeezed, b.weights({8, 8, 1, 1})}, window({1, 1}, {0, 0, 0, 0})));
  const ValueId scaled = b.add(b.mul(b.mul(x, gate), b.weights({8, 1, 1})), b.weights({1, 8, 6, 5}));
  b.output(conv(b.add(scaled, b.weights({5})), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

TEST_F(SinkLayout, ConcatPadSliceAndSoftmax) {
  const ValueId x = conv(image(), 4, 8);
  const ValueId both = b.node(OpKind::kConcat, {x, b.unary(Unary::kRelu, x)}, AxisAttrs{1});
  const ValueId padded = b.node(OpKind::kPad, {both, b.ints({0, 1, 2, 0, 0, 0, 1, 3}), b.scalar(0.5f)}, PadAttrs{});
  const ValueId cut = b.node(OpKind::kSlice, {padded, b.ints({1, 0}), b.ints({16, 7}), b.ints({1, -1}), b.ints({1, 2})});
  b.output(conv(b.node(OpKind::kSoftmax, {cut}, AxisAttrs{1}), 15, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

// Halves of the channels go different ways (YOLO).
TEST_F(SinkLayout, SplitOfChannels) {
  SplitAttrs a;
  a.axis = 1;
  a.sizes = {4, 4};
  const std::vector<ValueId> halves = b.node_with_outputs(OpKind::kSplit, {conv(image(), 4, 8)}, 2, a);
  const ValueId both = b.node(OpKind::kConcat, {halves[0], conv(halves[1], 4, 4)}, AxisAttrs{1});
  b.output(conv(both, 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

// Feature pyramids: a map is doubled and added to another.
TEST_F(SinkLayout, NearestResizeBetweenConvolutions) {
  const ValueId small = b.node(OpKind::kReduce, {conv(image(), 4, 8)}, ReduceAttrs{reduce::kMean, {2}, true, false});
  const ValueId rows = b.node(OpKind::kGather, {small, b.ints({0, 0, 0, 0, 0, 0})}, AxisAttrs{2});
  const ValueId both = b.node(OpKind::kGather, {rows, b.ints({0, 0, 1, 3, 4})}, AxisAttrs{3});
  b.output(conv(b.add(both, conv(image("z"), 4, 8)), 8, 3));
  EXPECT_EQ(transposes_left(), 3) << b.g.dump();
}

TEST_F(SinkLayout, MaxPoolBetweenConvolutions) {
  ConvAttrs pool = window({3, 3}, {1, 1, 1, 1});
  pool.strides = {2, 2};
  b.output(conv(b.node(OpKind::kMaxPool, {conv(image(), 4, 8)}, pool), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

TEST_F(SinkLayout, GlobalMeanNeedsNoTranspose) {
  b.output(b.node(OpKind::kReduce, {conv(image(), 4, 8)}, ReduceAttrs{reduce::kMean, {2, 3}, false, false}));
  EXPECT_EQ(transposes_left(), 1) << b.g.dump() << "of the image";
}

TEST_F(SinkLayout, OneAxis) {
  const ValueId x = b.input("x", {B, 4, S});
  const auto conv1 = [&](ValueId v, int64_t channels, int64_t filters) {
    return b.node(OpKind::kConv, {v, b.weights({filters, channels, 3})}, window({3}, {1, 1}));
  };
  b.output(conv1(b.unary(Unary::kGeluErf, conv1(x, 4, 8)), 8, 3));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump();
}

// The input of the graph, which the first convolution turns, is the other operand of the first sum.
TEST_F(SinkLayout, ResidualSumOfTheInput) {
  ValueId x = b.input("x", {B, 8, 6, 5});
  for (int block = 0; block < 3; ++block) x = b.unary(Unary::kRelu, b.add(x, conv(b.unary(Unary::kRelu, conv(x, 8, 8)), 8, 8)));
  b.output(x);
  EXPECT_EQ(transposes_left(), 2) << b.g.dump() << "one on the way in, one on the way out";
}

TEST_F(SinkLayout, ResidualSumOfTheInputOfOneAxis) {
  const ValueId x = b.input("x", {B, 8, S});
  const ValueId y = b.node(OpKind::kConv, {x, b.weights({8, 8, 3})}, window({3}, {1, 1}));
  const ValueId both = b.node(OpKind::kConcat, {x, b.unary(Unary::kRelu, b.add(y, x))}, AxisAttrs{1});
  b.output(b.node(OpKind::kConv, {both, b.weights({8, 16, 3})}, window({3}, {1, 1})));
  EXPECT_EQ(transposes_left(), 2) << b.g.dump() << "one on the way in, one on the way out";
}

// The first convolution over an image reads it as it is: a sum with it would need a Transpose of its own.
TEST_F(SinkLayout, SumWithAnImageStays) {
  const ValueId sum = b.add(image(), conv(image("y"), 4, 4));
  b.output(sum);
  b.output(conv(b.g.inputs[0], 4, 4));
  apply(b.g, {pass_decompose_conv});
  EXPECT_EQ(apply(b.g, {pass_sink_layout}), 0);
}

// Another operand of full size would have to be turned: nothing is gained.
TEST_F(SinkLayout, AnotherFullOperandStays) {
  const ValueId sum = b.add(conv(image(), 4, 4), image("y"));
  b.output(sum);
  apply(b.g, {pass_decompose_conv});
  EXPECT_EQ(apply(b.g, {pass_sink_layout}), 0);
}

// What a file transposes by itself is not a convolution's.
TEST_F(SinkLayout, OtherTransposesStay) {
  b.output(b.unary(Unary::kRelu, b.transpose(b.input("x", {B, S, 4}), {0, 2, 1})));
  EXPECT_EQ(apply(b.g, {pass_sink_layout}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
