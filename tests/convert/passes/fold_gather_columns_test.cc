// Picked columns of a Linear are columns of its weights, where that costs less than picking.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class FoldGatherColumns : public ::testing::Test {
 protected:
  ValueId linear(int64_t depth, int64_t columns, bool bias = true) {
    const ValueId x = b.input("x" + std::to_string(depth), {B, S, depth});
    return b.node(OpKind::kLinear, {x, b.weights({depth, columns}), bias ? b.weights({columns}) : kNone}, LinearAttrs{});
  }
  ValueId pick(ValueId x, const std::vector<int64_t>& indices, int64_t axis = -1) {
    return b.node(OpKind::kGather, {x, b.ints(indices)}, AxisAttrs{axis});
  }
  std::vector<int64_t> twice(int64_t columns) {
    std::vector<int64_t> v;
    for (int64_t i = 0; i < 2 * columns; ++i) v.push_back(i / 2);
    return v;
  }
  int folded(ValueId y) {
    b.output(y);
    return apply(b.g, {pass_fold_gather_columns});
  }
  GraphBuilder b;
};

// The first layers of EEGNet: 8 filters, of which the next layer reads each twice.
TEST_F(FoldGatherColumns, RepeatedWithinAPanel) {
  EXPECT_EQ(folded(pick(linear(64, 8), twice(8))), 1);
  EXPECT_EQ(count(b.g, OpKind::kGather), 0);
}
TEST_F(FoldGatherColumns, OrderedAnewFromEitherEnd) { EXPECT_EQ(folded(pick(linear(300, 5, false), {-1, 3, 0, -4}, 2)), 1); }
TEST_F(FoldGatherColumns, MoreColumnsOfLittleDepth) { EXPECT_EQ(folded(pick(linear(9, 24), twice(24))), 1); }

TEST_F(FoldGatherColumns, WhatCostsMoreStays) { EXPECT_EQ(folded(pick(linear(64, 24), twice(24))), 0); }
TEST_F(FoldGatherColumns, OtherAxesStay) { EXPECT_EQ(folded(pick(linear(64, 8), {0}, 1)), 0); }
TEST_F(FoldGatherColumns, AReaderOfAllStays) {
  const ValueId y = linear(64, 8);
  b.output(b.unary(Unary::kRelu, y));
  EXPECT_EQ(folded(pick(y, twice(8))), 0);
}

}  // namespace

}  // namespace edgeconv::testing
