// fold_affine_conv: constants per channel around convolutions become part of their weights; what would change the padding stays.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class FoldAffineConv : public ::testing::Test {
 protected:
  GraphBuilder b;
  ValueId map() { return b.input("x", {B, 6, 5, 8}); }
  ValueId depthwise(ValueId x, int64_t pad = 1, bool bias = true) {
    DepthwiseConvAttrs a{{{3, 3}, {1, 1}, {1, 1}, {pad, pad}, {pad, pad}}};
    return b.node(OpKind::kDepthwiseConv, {x, b.weights({9, 8}), bias ? b.weights({8}) : kNone}, a);
  }
  ValueId linear(ValueId x, int64_t width = 8) {
    return b.node(OpKind::kLinear, {x, b.weights({width, 7}), b.weights({7})}, LinearAttrs{});
  }
  int fold() { return apply(b.g, {pass_fold_affine_conv}, 1e-4f); }
  int binaries() { return count(b.g, OpKind::kBinary); }
};

TEST_F(FoldAffineConv, BatchNormBehindDepthwise) {
  b.output(b.add(b.mul(depthwise(map()), b.weights({8}, 1)), b.weights({1, 1, 1, 8})));
  EXPECT_EQ(fold(), 2);
  EXPECT_EQ(binaries(), 0);
}

TEST_F(FoldAffineConv, WithoutABias) {
  b.output(b.add(depthwise(map(), 0, false), b.scalar(0.5f)));
  EXPECT_EQ(fold(), 1);
}

TEST_F(FoldAffineConv, BehindAnActivationIntoTheNextLayer) {
  const ValueId x = b.unary(Unary::kHardSwish, depthwise(map()));
  b.output(linear(b.add(b.mul(x, b.scalar(1.5f)), b.weights({8}))));
  EXPECT_EQ(fold(), 2);
  EXPECT_EQ(binaries(), 0);
}

// Padding of a sum is not the sum of padding.
TEST_F(FoldAffineConv, ATermBeforeADepthwiseKernelStays) {
  b.output(depthwise(b.add(b.mul(b.unary(Unary::kRelu, map()), b.weights({8}, 1)), b.scalar(2))));
  EXPECT_EQ(fold(), 0) << "the factor lies behind the term";
  EXPECT_EQ(binaries(), 2);
}

TEST_F(FoldAffineConv, AFactorBeforeADepthwiseKernel) {
  b.output(depthwise(b.mul(map(), b.weights({8}, 1))));
  EXPECT_EQ(fold(), 1);
}

TEST_F(FoldAffineConv, AFactorBeforePatches) {
  const PatchesAttrs a{{{3, 2}, {1, 2}, {1, 1}, {1, 0}, {1, 1}}, 2, 4};
  b.output(linear(b.node(OpKind::kPatches, {b.mul(map(), b.weights({8}, 1))}, a), 24));
  EXPECT_EQ(fold(), 1);
  EXPECT_EQ(binaries(), 0);
}

TEST_F(FoldAffineConv, OtherReadersKeepTheNode) {
  const ValueId scaled = b.mul(map(), b.weights({8}, 1));
  b.output(linear(scaled));
  b.output(b.unary(Unary::kTanh, scaled));
  EXPECT_EQ(fold(), 0);
}

// Rows of tokens are no maps: models without convolutions keep their bits.
TEST_F(FoldAffineConv, RowsOfTokensStay) {
  b.output(linear(b.mul(b.input("t", {B, S, 8}), b.weights({8}, 1))));
  EXPECT_EQ(fold(), 0);
}

TEST_F(FoldAffineConv, AConstantPerColumnOfTheMapStays) {
  b.output(linear(b.mul(map(), b.weights({5, 1}, 1))));
  EXPECT_EQ(fold(), 0);
}

}  // namespace

}  // namespace edgeconv::testing
