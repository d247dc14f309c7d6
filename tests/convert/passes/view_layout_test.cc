// The layout algebra: what chains of views do to elements, told as pieces of source axes.
#include "convert/passes/view_layout.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv {

// For failure messages.
void PrintTo(const Atom& a, std::ostream* out) {
  *out << "axis " << a.axis << " stride " << a.stride.str() << " size " << a.size.str();
}

}  // namespace edgeconv

namespace edgeconv::testing {

namespace {

using Axes = std::vector<std::vector<Atom>>;

class ViewLayoutTest : public ::testing::Test {
 protected:
  ViewLayoutTest() : x(b.input("x", {B, S, 24})) {}
  ViewLayout trace(ValueId v, bool selections = false) {
    b.output(v);
    finish(b.g);
    return trace_view(b.g, v, selections);
  }
  GraphBuilder b;
  ValueId x;
};

TEST_F(ViewLayoutTest, Identity) {
  const ViewLayout l = trace(b.node(OpKind::kIdentity, {x}));
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{1, 1, S}}, {{2, 1, 24}}}));
  EXPECT_TRUE(keeps_order(l));
}

TEST_F(ViewLayoutTest, HeadSplit) {
  const ViewLayout l = trace(b.transpose(b.reshape(x, {0, 0, 3, 8}), {0, 2, 1, 3}));
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{2, 8, 3}}, {{1, 1, S}}, {{2, 1, 8}}}));
  EXPECT_FALSE(keeps_order(l));
}

TEST_F(ViewLayoutTest, HeadSplitTransposedForKeys) {
  const ViewLayout l = trace(b.transpose(b.transpose(b.reshape(x, {0, 0, 3, 8}), {0, 2, 1, 3}), {0, 1, 3, 2}));
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{2, 8, 3}}, {{2, 1, 8}}, {{1, 1, S}}}));
}

// nn.MultiheadAttention: [batch, seq, e] -> [seq, batch * heads, dim] -> [batch * heads, seq, dim].
TEST_F(ViewLayoutTest, TorchMultiheadDetour) {
  const ValueId by_token = b.transpose(x, {1, 0, 2});
  b.output(by_token);
  finish(b.g);
  const ValueId shape = b.g.add_value("shape", DType::kInt64, Shape{3});
  b.g.value(shape).elements = Shape{S, B * DimExpr(3), 8};
  const ViewLayout l = trace(b.transpose(b.node(OpKind::kReshape, {by_token, shape}, ReshapeAttrs{}), {1, 0, 2}));
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}, {2, 8, 3}}, {{1, 1, S}}, {{2, 1, 8}}}));
}

TEST_F(ViewLayoutTest, SplitAndMergeCancel) {
  const ViewLayout l =
      trace(b.reshape(b.transpose(b.transpose(b.reshape(x, {0, 0, 3, 8}), {0, 2, 1, 3}), {0, 2, 1, 3}), {0, 0, 24}));
  EXPECT_EQ(l.source, x);
  EXPECT_TRUE(keeps_order(l));
}

TEST_F(ViewLayoutTest, SqueezeUnsqueezeFlatten) {
  const ValueId wide = b.node(OpKind::kUnsqueeze, {x, b.ints({1})}, AxesAttrs{{1}});
  const ViewLayout l = trace(b.node(OpKind::kSqueeze, {wide, b.ints({1})}, AxesAttrs{{1}}));
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{1, 1, S}}, {{2, 1, 24}}}));
}

TEST_F(ViewLayoutTest, StopsAtOtherNodes) {
  const ValueId y = b.unary(Unary::kRelu, x);
  EXPECT_EQ(trace(b.reshape(y, {0, 0, 3, 8})).source, y);
}

// Packed QKV by Split, by Gather and by Slice: the same columns.
TEST_F(ViewLayoutTest, SelectionsOfPackedColumns) {
  const auto parts = b.node_with_outputs(OpKind::kSplit, {x}, 3, SplitAttrs{2, {8, 8, 8}, 3});
  const ViewLayout l = trace(parts[1], true);
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.first[2], DimExpr(8));
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{1, 1, S}}, {{2, 1, 8}}}));
  // Without selections the chain ends at the Split.
  EXPECT_EQ(trace_view(b.g, parts[1], false).source, parts[1]);
}

TEST_F(ViewLayoutTest, SelectionByGatherOfAnAxisOfThree) {
  // [b, s, 3, 2, 4] -> [3, b, 2, s, 4] -> index 2
  const ValueId five = b.transpose(b.reshape(x, {0, 0, 3, 2, 4}), {2, 0, 3, 1, 4});
  const ValueId v = b.node(OpKind::kGather, {five, b.constant(Tensor::scalar(int64_t{2}))}, AxisAttrs{0});
  const ViewLayout l = trace(v, true);
  EXPECT_EQ(l.source, x);
  EXPECT_EQ(l.first[2], DimExpr(16));
  EXPECT_EQ(l.axes, (Axes{{{0, 1, B}}, {{2, 4, 2}}, {{1, 1, S}}, {{2, 1, 4}}}));
}

TEST_F(ViewLayoutTest, SelectionBySlice) {
  const ValueId v = b.node(OpKind::kSlice, {x, b.ints({-8}), b.ints({INT64_MAX}), b.ints({2})});
  const ViewLayout l = trace(v, true);
  EXPECT_EQ(l.first[2], DimExpr(16));
  EXPECT_EQ(l.axes[2], (std::vector<Atom>{{2, 1, 8}}));
}

TEST_F(ViewLayoutTest, ScalarFactorsAreCollected) {
  const ValueId v = b.mul(b.transpose(b.div(b.reshape(x, {0, 0, 3, 8}), b.scalar(4)), {0, 2, 1, 3}), b.scalar(3));
  b.output(v);
  finish(b.g);
  float scale = 1;
  EXPECT_EQ(trace_view(b.g, v, false, &scale).source, x);
  EXPECT_FLOAT_EQ(scale, 0.75f);
}

TEST(MergeAtoms, JoinsContiguousPieces) {
  EXPECT_EQ(merge_atoms({{2, 8, 3}, {2, 1, 8}}), (std::vector<Atom>{{2, 1, 24}}));
  EXPECT_EQ(merge_atoms({{2, 1, 8}, {2, 8, 3}}).size(), 2u);
  EXPECT_EQ(merge_atoms({{1, 8, 3}, {2, 1, 8}}).size(), 2u);
}

TEST(ExactQuotient, OnlyWhatDivides) {
  EXPECT_EQ(exact_quotient(B * S * DimExpr(12), S * DimExpr(4)), std::optional(B * DimExpr(3)));
  EXPECT_FALSE(exact_quotient(B, S));
  EXPECT_FALSE(exact_quotient(B + DimExpr(1), B));
  EXPECT_FALSE(exact_quotient(DimExpr(10), DimExpr(4)));
  EXPECT_FALSE(exact_quotient(B, DimExpr(0)));
}

TEST(SimplifyViews, DetourDisappears) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 24});
  const ValueId there = b.transpose(b.reshape(x, {0, 0, 3, 8}), {0, 2, 1, 3});
  b.output(b.unary(Unary::kRelu, b.reshape(b.transpose(there, {0, 2, 1, 3}), {0, 0, 24})));
  EXPECT_GE(apply(b.g, {pass_simplify_views}), 1);
  EXPECT_EQ(count(b.g, OpKind::kReshape) + count(b.g, OpKind::kTranspose), 0) << b.g.dump();
}

TEST(SimplifyViews, TwoTransposesBecomeOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4, 6});
  b.output(b.unary(Unary::kRelu, b.transpose(b.transpose(x, {0, 2, 1, 3}), {0, 1, 3, 2})));
  apply(b.g, {pass_simplify_views});
  only(b.g, OpKind::kTranspose);
}

TEST(HoistViews, LinearMovesBeforeTheDetour) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 8});
  const ValueId y = b.node(OpKind::kLinear, {b.transpose(x, {1, 0, 2}), b.weights({8, 6}), kNone}, LinearAttrs{});
  b.output(b.unary(Unary::kRelu, b.transpose(y, {1, 0, 2})));
  EXPECT_GE(apply(b.g, {pass_hoist_views}), 1);
  apply(b.g, {pass_simplify_views});
  EXPECT_EQ(count(b.g, OpKind::kTranspose), 0) << b.g.dump();
}

// The BatchNorm and ReLU of a Conv1D of TensorFlow stand behind the Squeeze of its one row.
TEST(HoistViews, FactorsTermsAndActivationsMoveToTheLinear) {
  GraphBuilder b;
  const ValueId y = b.node(OpKind::kLinear, {b.input("x", {B, 1, S, 8}), b.weights({8, 6}), kNone}, LinearAttrs{});
  const ValueId frames = b.node(OpKind::kSqueeze, {y}, AxesAttrs{{1}});
  b.output(b.unary(Unary::kRelu, b.add(b.weights({1, 1, 6}), b.mul(frames, b.weights({6})))));
  apply(b.g, {pass_hoist_views, pass_hoist_views, pass_fold_affine, pass_hoist_views, pass_fold_affine, pass_hoist_views,
              pass_fuse_linear_activation});
  EXPECT_EQ(count(b.g, OpKind::kBinary) + count(b.g, OpKind::kUnary), 0) << b.g.dump();
}

TEST(HoistViews, WhatALinearCannotTakeStays) {
  GraphBuilder b;
  const ValueId y = b.node(OpKind::kLinear, {b.input("x", {B, 1, 5, 8}), b.weights({8, 6}), kNone}, LinearAttrs{});
  const ValueId frames = b.node(OpKind::kSqueeze, {y}, AxesAttrs{{1}});
  b.output(b.mul(frames, b.weights({5, 1})));
  b.output(b.mul(frames, b.weights({2, 1, 5, 6})));
  EXPECT_EQ(apply(b.g, {pass_hoist_views}), 0);
}

TEST(HoistViews, RowsThatWereJoinedForAGemm) {
  GraphBuilder b;
  const ValueId rows = b.reshape(b.input("x", {B, S, 8}), {-1, 8});
  b.output(b.node(OpKind::kLinear, {rows, b.weights({8, 6}), kNone}, LinearAttrs{}));
  EXPECT_EQ(apply(b.g, {pass_hoist_views}), 1);
  EXPECT_EQ(b.g.value(only(b.g, OpKind::kLinear).in(0)).rank(), 3);
}

// ONNX clamps a start before the first element to it; an unclamped offset once read outside the tensor.
TEST_F(ViewLayoutTest, SliceThatStartsBeforeTheFirstElement) {
  const ValueId part = b.node(OpKind::kSlice, {x, b.ints({-100}), b.ints({8}), b.ints({2})});
  const ViewLayout l = trace(part, true);
  ASSERT_EQ(l.source, x);
  EXPECT_EQ(l.first[2], DimExpr(0));
}

}  // namespace

}  // namespace edgeconv::testing
