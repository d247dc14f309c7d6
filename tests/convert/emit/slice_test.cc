// Slices with symbolic starts. T5 cuts its relative bias with [:, :, -seq_length:, :]: a start that is negative for every
// length must count from the end, at the smallest and at the largest dims.
#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/emit/run_lowered.h"

namespace edgeconv::testing {

namespace {

const DimExpr B = DimExpr::symbol("batch"), S = DimExpr::symbol("seq");

// x [B, S, 4] twice along axis 1, then rows [start, 2 S) of it.
GraphBuilder rows_from(const DimExpr& start) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4});
  const ValueId doubled = b.node(OpKind::kConcat, {x, b.unary(Unary::kTanh, x)}, AxisAttrs{1});
  const ValueId first = b.g.add_value("start", DType::kInt64, Shape{1});
  b.g.value(first).elements = std::vector<DimExpr>{start};
  b.output(b.node(OpKind::kSlice, {doubled, first, b.ints({INT64_MAX}), b.ints({1}), b.ints({1})}));
  finish(b.g);
  return b;
}

void expect_same(const GraphBuilder& b) {
  const auto inputs = random_inputs(b.g);
  const auto want = interpret(b.g, inputs, {Backend::kCanonical, {}}), got = run_lowered(b.g, inputs);
  ASSERT_EQ(got[0].dims(), want[0].dims());
  EXPECT_EQ(got[0].to_float(), want[0].to_float());
}

TEST(LowerSlice, NegativeSymbolicStartCountsFromTheEnd) { expect_same(rows_from(DimExpr(0) - S)); }
TEST(LowerSlice, PositiveSymbolicStartIsAPosition) { expect_same(rows_from(S)); }

// The last S of S rows are all rows.
TEST(LowerSlice, SliceOfEverythingGoesAway) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4});
  const ValueId first = b.g.add_value("start", DType::kInt64, Shape{1});
  b.g.value(first).elements = std::vector<DimExpr>{DimExpr(0) - S};
  b.output(b.unary(Unary::kTanh, b.node(OpKind::kSlice, {x, first, b.ints({INT64_MAX}), b.ints({1}), b.ints({1})})));
  EXPECT_EQ(apply(b.g, {pass_remove_identities}), 1);
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
}

// Backwards through all rows has the same shape but is no identity.
TEST(LowerSlice, ReversalStays) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 5, 4});
  b.output(b.unary(Unary::kTanh, b.node(OpKind::kSlice, {x, b.ints({-1}), b.ints({INT64_MIN}), b.ints({1}), b.ints({-1})})));
  EXPECT_EQ(apply(b.g, {pass_remove_identities}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
