// What is cut off a convolution's result is not computed.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class FoldConvSlice : public ::testing::Test {
 protected:
  ValueId conv(ValueId x, std::vector<int64_t> kernel, ConvAttrs a) {
    a.kernel = kernel;
    kernel.insert(kernel.begin(), {6, 4});
    return b.node(OpKind::kConv, {x, b.weights(kernel)}, a);
  }
  ValueId transposed(ValueId x, int64_t kernel, ConvTransposeAttrs a) {
    a.kernel = {kernel};
    return b.node(OpKind::kConvTranspose, {x, b.weights({4, 6, kernel})}, a);
  }
  ValueId slice(ValueId x, std::vector<int64_t> starts, std::vector<int64_t> ends, std::vector<int64_t> axes, int64_t step = 1) {
    const std::vector<int64_t> steps(axes.size(), step);
    return b.node(OpKind::kSlice, {x, b.ints(starts), b.ints(ends), b.ints(axes), b.ints(steps)});
  }
  int folded(ValueId y) {
    b.output(y);
    return apply(b.g, {pass_fold_conv_slice});
  }
  GraphBuilder b;
};

ConvAttrs around(std::vector<int64_t> pads, std::vector<int64_t> strides = {}, std::vector<int64_t> dilations = {}) {
  ConvAttrs a;
  a.pads = std::move(pads);
  a.strides = std::move(strides);
  a.dilations = std::move(dilations);
  return a;
}

// Chomp1d of temporal convolutional networks.
TEST_F(FoldConvSlice, CausalFrames) {
  EXPECT_EQ(folded(slice(conv(b.input("x", {B, 4, S}), {3}, around({8, 8}, {}, {4})), {0}, {-8}, {2})), 1);
  EXPECT_EQ(only(b.g, OpKind::kConv).as<ConvAttrs>().pads, (std::vector<int64_t>{8, 0}));
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
}

TEST_F(FoldConvSlice, BothEndsOfAPictureAndStrides) {
  const ValueId y = conv(b.input("x", {B, 4, 11, 13}), {3, 3}, around({2, 4, 2, 5}, {1, 2}));
  EXPECT_EQ(folded(slice(y, {1, 2}, {-1, -1}, {-2, -1})), 1);
  EXPECT_EQ(only(b.g, OpKind::kConv).as<ConvAttrs>().pads, (std::vector<int64_t>{1, 0, 1, 3}));
}

// The decoder of EnCodec: what a transposed convolution with more kernel than stride reaches beyond its frames.
TEST_F(FoldConvSlice, TransposedFrames) {
  ConvTransposeAttrs a;
  a.strides = {2};
  EXPECT_EQ(folded(slice(transposed(b.input("x", {B, 4, S}), 4, a), {1}, {-1}, {2})), 1);
  EXPECT_EQ(only(b.g, OpKind::kConvTranspose).as<ConvTransposeAttrs>().pads, (std::vector<int64_t>{1, 1}));
}

// A bias of its own, as ONNX Runtime's quantizer leaves it, a factor per channel and an activation.
TEST_F(FoldConvSlice, ThroughWhatTreatsPositionsAlike) {
  const ValueId y = b.add(b.weights({1, 6, 1}), b.mul(conv(b.input("x", {B, 4, S}), {3}, around({4, 4}, {}, {2})), b.weights({6, 1}, 1)));
  EXPECT_EQ(folded(slice(b.unary(Unary::kRelu, y), {0}, {-4}, {2})), 1);
  EXPECT_EQ(only(b.g, OpKind::kConv).as<ConvAttrs>().pads, (std::vector<int64_t>{4, 0}));
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
}

TEST_F(FoldConvSlice, WhatTreatsPositionsDifferentlyStays) {
  const ValueId x = b.input("x", {B, 4, 9});
  EXPECT_EQ(folded(slice(b.add(conv(x, {3}, around({2, 2})), b.weights({11})), {0}, {-2}, {2})), 0);
}

TEST_F(FoldConvSlice, OtherCutsStay) {
  const ValueId x = b.input("x", {B, 4, S}), nine = b.input("nine", {B, 4, 9});
  ConvAttrs automatic;
  automatic.auto_pad = "SAME_UPPER";
  ConvTransposeAttrs sized;
  sized.output_shape = {12};
  const ValueId read_twice = conv(x, {3}, around({2, 2}));
  b.output(read_twice);
  b.output(slice(read_twice, {0}, {-2}, {2}));
  b.output(slice(conv(x, {3}, around({2, 2})), {0}, {-3}, {2}));               // more than the padding
  b.output(slice(conv(nine, {3}, around({1, 2}, {2})), {0}, {-2}, {2}));       // with a stride more than the padding
  b.output(slice(conv(x, {3}, around({2, 2})), {0}, {2}, {1}));                // channels
  b.output(slice(conv(nine, {3}, around({2, 2})), {0}, {-2}, {2}, 2));         // steps
  b.output(slice(conv(nine, {3}, around({2, 2})), {-3}, {100}, {2}));          // a start counted from the end
  b.output(slice(conv(nine, {3}, automatic), {0}, {-1}, {2}));                 // padding that depends on the size
  EXPECT_EQ(folded(slice(transposed(nine, 4, sized), {0}, {-1}, {2})), 0);     // a size that is given
}

}  // namespace

}  // namespace edgeconv::testing
