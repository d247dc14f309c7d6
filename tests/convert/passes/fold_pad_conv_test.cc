// Zeros in front of a convolution become its own padding.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class FoldPadConv : public ::testing::Test {
 protected:
  ValueId pad(ValueId x, const std::vector<int64_t>& pads, float fill = 0, int mode = ert::params::pad::kConstant) {
    return b.node(OpKind::kPad, {x, b.ints(pads), b.scalar(fill)}, PadAttrs{mode});
  }
  ValueId conv(ValueId x, std::vector<int64_t> kernel, ConvAttrs a = {}) {
    a.kernel = kernel;
    kernel.insert(kernel.begin(), {6, 4});
    return b.node(OpKind::kConv, {x, b.weights(kernel)}, a);
  }
  int folded(ValueId y) {
    b.output(y);
    return apply(b.g, {pass_fold_pad_conv});
  }
  const std::vector<int64_t>& pads_now() { return only(b.g, OpKind::kConv).as<ConvAttrs>().pads; }
  GraphBuilder b;
};

TEST_F(FoldPadConv, CausalFrames) {
  ConvAttrs a;
  a.dilations = {2};
  EXPECT_EQ(folded(conv(pad(b.input("x", {B, 4, S}), {0, 0, 4, 0, 0, 0}), {3}, a)), 1);
  EXPECT_EQ(pads_now(), (std::vector<int64_t>{4, 0}));
}

// ZeroPadding2D of Keras, channels last, and the padding that the convolution has.
TEST_F(FoldPadConv, PicturesThroughATranspose) {
  ConvAttrs a;
  a.strides = {2, 2};
  a.pads = {0, 1, 0, 0};
  EXPECT_EQ(folded(conv(b.transpose(pad(b.input("x", {B, 7, 9, 4}), {0, 0, 1, 0, 0, 1, 1, 0}), {0, 3, 1, 2}), {3, 3}, a)), 1);
  EXPECT_EQ(pads_now(), (std::vector<int64_t>{0, 2, 1, 1}));
}

TEST_F(FoldPadConv, FramesAsAPictureOfOneRow) {
  const ValueId frames = pad(b.input("x", {B, S, 4}), {0, 2, 0, 0, 0, 0});
  const ValueId row = b.transpose(b.node(OpKind::kUnsqueeze, {frames}, AxesAttrs{{1}}), {0, 3, 1, 2});
  EXPECT_EQ(folded(conv(row, {1, 3})), 1);
  EXPECT_EQ(pads_now(), (std::vector<int64_t>{0, 2, 0, 0}));
}

TEST_F(FoldPadConv, AxesOfTheirOwn) {
  const ValueId x = b.input("x", {B, 4, S});
  EXPECT_EQ(folded(conv(b.node(OpKind::kPad, {x, b.ints({1, 2}), kNone, b.ints({-1})}, PadAttrs{}), {3})), 1);
  EXPECT_EQ(pads_now(), (std::vector<int64_t>{1, 2}));
}

TEST_F(FoldPadConv, OtherPaddingStays) {
  const ValueId x = b.input("x", {B, 4, 9}), narrow = b.input("narrow", {B, 3, 9});
  ConvAttrs automatic;
  automatic.auto_pad = "SAME_UPPER";
  b.output(conv(pad(narrow, {0, 1, 0, 0, 0, 0}), {3}));                                        // channels
  b.output(conv(pad(x, {0, 0, 1, 0, 0, 0}, 0.5f), {3}));                                       // not zeros
  b.output(conv(pad(x, {0, 0, 1, 0, 0, 0}, 0, ert::params::pad::kReflect), {3}));              // not zeros
  b.output(conv(pad(x, {0, 0, -1, 0, 0, 0}), {3}));                                            // crops
  b.output(conv(pad(x, {0, 0, 4, 0, 0, 0}), {3}));                                             // windows of zeros alone
  b.output(conv(pad(x, {0, 0, 1, 0, 0, 0}), {3}, automatic));                                  // padding that depends on the size
  EXPECT_EQ(folded(conv(b.reshape(pad(x, {0, 0, 1, 0, 0, 0}), {0, 4, 5, 2}), {3, 1})), 0);     // an axis that is taken apart
}

}  // namespace

}  // namespace edgeconv::testing
