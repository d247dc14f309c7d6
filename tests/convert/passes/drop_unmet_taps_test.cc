// Positions of a kernel that meet nothing but padding go.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

class DropUnmetTaps : public ::testing::Test {
 protected:
  // The kernel's sizes that are left, of a convolution over [2, 4, sizes..].
  std::vector<int64_t> left(std::vector<int64_t> sizes, std::vector<int64_t> kernel, ConvAttrs a) {
    GraphBuilder b;
    Shape shape{2, 4};
    for (const int64_t s : sizes) shape.push_back(DimExpr(s));
    a.kernel = kernel;
    kernel.insert(kernel.begin(), {6, 4 / a.group});
    b.output(b.node(OpKind::kConv, {b.input("x", shape), b.weights(kernel), b.weights({6})}, a));
    apply(b.g, {pass_drop_unmet_taps});
    for (const Node& n : b.g.nodes)
      if (!n.dead && n.kind == OpKind::kConv) return n.as<ConvAttrs>().kernel;
    return {};
  }
};

ConvAttrs window(std::vector<int64_t> pads, std::vector<int64_t> dilations, std::vector<int64_t> strides = {}) {
  ConvAttrs a;
  a.pads = std::move(pads);
  a.dilations = std::move(dilations);
  a.strides = std::move(strides);
  return a;
}

TEST_F(DropUnmetTaps, AtrousPyramidsOverSmallMaps) {
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(left({10, 10}, {3, 3}, window({12, 12, 12, 12}, {12, 12})), (Sizes{1, 1}));
  EXPECT_EQ(left({10, 13}, {3, 3}, window({12, 12, 12, 12}, {12, 12})), (Sizes{1, 3})) << "the last columns meet the first ones";
  EXPECT_EQ(left({10, 10}, {5, 5}, window({12, 8, 12, 8}, {6, 4})), (Sizes{3, 5}));
  EXPECT_EQ(left({12}, {3}, window({32, 0}, {16})), (Sizes{1})) << "causal";
  EXPECT_EQ(left({12}, {3}, window({8, 0}, {4})), (Sizes{3}));
  EXPECT_EQ(left({3, 4, 5}, {3, 3, 3}, window({3, 4, 5, 3, 4, 5}, {3, 4, 5})), (Sizes{1, 1, 1}));
}

TEST_F(DropUnmetTaps, StridesAndGroups) {
  ConvAttrs a = window({6, 6, 6, 6}, {6, 6}, {4, 2});
  a.group = 2;
  EXPECT_EQ(left({6, 6}, {3, 3}, a), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(left({2, 9}, {3, 3}, window({1, 1, 1, 1}, {1, 1}, {2, 1})), (std::vector<int64_t>{2, 3})) << "one row of outputs";
}

// Took minutes: every output was asked. A file of 225 bytes gave a thousand million of them.
TEST_F(DropUnmetTaps, PaddingOfAThousandMillion) {
  constexpr int64_t kPads = (int64_t{1} << 30) - 1;
  GraphBuilder b;
  b.output(b.node(OpKind::kConv, {b.input("x", {1, 1, 1}), b.weights({1, 1, 1000})}, window({kPads, kPads}, {2}, {2})));
  finish(b.g);
  Diagnostics d;
  EXPECT_EQ(pass_drop_unmet_taps(b.g, d), 0);
}

TEST_F(DropUnmetTaps, WhatIsMetStays) {
  EXPECT_EQ(left({10, 10}, {3, 3}, window({1, 1, 1, 1}, {1, 1})), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(left({4}, {3}, window({8, 10}, {9}, {16})), (std::vector<int64_t>{3})) << "its one output would begin with the second element";
  GraphBuilder b;
  ConvAttrs a = window({12, 12, 12, 12}, {12, 12});
  a.kernel = {3, 3};
  b.output(b.node(OpKind::kConv, {b.input("x", {1, 4, DimExpr::symbol("height"), 10}), b.weights({6, 4, 3, 3})}, a));
  EXPECT_EQ(apply(b.g, {pass_drop_unmet_taps}), 1) << "of columns only: rows of any number are met";
}

}  // namespace

}  // namespace edgeconv::testing
