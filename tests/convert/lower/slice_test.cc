// Slices with symbolic starts. T5 cuts its relative bias with [:, :, -seq_length:, :]: a start that is negative for every
// length must count from the end, at the smallest and at the largest dims.
#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/lower/run_lowered.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

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

// x [:, -9:] and [:, :-2] where the axis may have fewer: a start before the first row is the first row.
TEST(LowerSlice, ConstantStartFromTheEndIsClamped) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4});
  b.output(b.node(OpKind::kSlice, {b.unary(Unary::kTanh, x), b.ints({-9}), b.ints({INT64_MAX}), b.ints({1}), b.ints({1})}));
  b.output(b.node(OpKind::kSlice, {b.unary(Unary::kTanh, x), b.ints({-3}), b.ints({-1}), b.ints({1}), b.ints({1})}));
  finish(b.g);
  EXPECT_EQ(shape_str(*b.g.value(b.g.outputs[0]).shape), "[batch, min(seq, 9), 4]");
  expect_same(b);
}

// x[-n:] of n - 1 rows and of n: nothing is cut.
TEST(LowerSlice, AsManyRowsFromTheEndAsThereAreIsAll) {
  GraphBuilder b;
  const ValueId x = b.input("x", {S, 4});
  const ValueId tail =
      b.node(OpKind::kSlice, {b.unary(Unary::kTanh, x), b.ints({1}), b.ints({INT64_MAX}), b.ints({0}), b.ints({1})});
  const ValueId first = b.g.add_value("start", DType::kInt64, Shape{1});
  b.g.value(first).elements = std::vector<DimExpr>{DimExpr(1) - S};
  b.output(b.node(OpKind::kSlice, {tail, first, b.ints({INT64_MAX}), b.ints({0}), b.ints({1})}));
  finish(b.g);
  expect_same(b);
}

// The last of a fixed number of rows, as many as another input has: there may be fewer.
TEST(LowerSlice, SymbolicStartBeforeTheFirstRowOfAFixedAxisIsClamped) {
  GraphBuilder b;
  const ValueId x = b.input("x", {3, 4});
  b.input("y", {S, 4});
  const ValueId first = b.g.add_value("start", DType::kInt64, Shape{1});
  b.g.value(first).elements = std::vector<DimExpr>{DimExpr(0) - S};
  b.output(b.node(OpKind::kSlice, {b.unary(Unary::kTanh, x), first, b.ints({INT64_MAX}), b.ints({0}), b.ints({1})}));
  finish(b.g);
  for (int64_t size : {2, 5}) {
    const std::vector<Tensor> inputs{Tensor(DType::kFloat, {3, 4}), Tensor(DType::kFloat, {size, 4})};
    EXPECT_EQ(run_lowered(b.g, inputs)[0].dims(), (std::vector<int64_t>{std::min<int64_t>(size, 3), 4}));
  }
}

// Rows of another input's size, counted from the end.
TEST(LowerSlice, SymbolicStartBeforeTheFirstRowIsClamped) {
  for (int64_t rows : {2, 7}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {DimExpr::symbol("rows"), 4});
    b.input("y", {S, 4});
    const ValueId first = b.g.add_value("start", DType::kInt64, Shape{1});
    b.g.value(first).elements = std::vector<DimExpr>{DimExpr(0) - S};
    b.output(b.node(OpKind::kSlice, {b.unary(Unary::kTanh, x), first, b.ints({INT64_MAX}), b.ints({0}), b.ints({1})}));
    finish(b.g);
    const std::vector<Tensor> inputs{Tensor(DType::kFloat, {rows, 4}), Tensor(DType::kFloat, {5, 4})};
    EXPECT_EQ(run_lowered(b.g, inputs)[0].dims(), (std::vector<int64_t>{std::min<int64_t>(rows, 5), 4}));
  }
}

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
