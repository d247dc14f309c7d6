// What was taken apart along an axis and computed alike is computed at once.
#include <gtest/gtest.h>

#include <functional>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class JoinUnstacked : public ::testing::Test {
 protected:
  ValueId sliced(ValueId v, int64_t axis, int64_t index) {
    return b.node(OpKind::kSlice, {v, b.ints({index}), b.ints({index + 1}), b.ints({axis}), b.ints({1})});
  }
  ValueId squeezed(ValueId v, int64_t axis, int64_t index) { return b.node(OpKind::kSqueeze, {sliced(v, axis, index), b.ints({axis})}, AxesAttrs{{axis}}); }
  ValueId gathered(ValueId v, int64_t axis, int64_t index) {
    return b.node(OpKind::kGather, {v, b.constant(Tensor::scalar(index))}, AxisAttrs{axis});
  }
  ValueId dense(ValueId v) { return b.unary(Unary::kRelu, b.add(b.matmul(v, w), bias)); }
  ValueId unsqueezed(ValueId v, int64_t axis) { return b.node(OpKind::kUnsqueeze, {v, b.ints({axis})}, AxesAttrs{{axis}}); }
  // The elements `order` of each along `from` of x, computed by f, stacked along `to`.
  ValueId stack(int64_t to, const std::vector<int64_t>& order, const std::function<ValueId(int64_t)>& f) {
    std::vector<ValueId> parts;
    for (int64_t i : order) parts.push_back(unsqueezed(f(i), to));
    return b.node(OpKind::kConcat, parts, AxisAttrs{to});
  }
  int joined(ValueId y) {
    b.output(y);
    return apply(b.g, {pass_merge_equal_nodes, pass_join_unstacked}) > 0 && count(b.g, OpKind::kConcat) == 0;
  }

  GraphBuilder b;
  ValueId rows = b.input("x", {3, B, 5}), w = b.weights({5, 4}), bias = b.weights({4});
};

// TimeDistributed(Dense(4, "relu")) of Keras.
TEST_F(JoinUnstacked, OfSlicesWithoutTheirAxis) {
  EXPECT_TRUE(joined(stack(0, {0, 1, 2}, [&](int64_t i) { return dense(squeezed(rows, 0, i)); })));
  EXPECT_EQ(count(b.g, OpKind::kMatMul), 1);
}
// A loop of Python over x[:, i].
TEST_F(JoinUnstacked, OfGathersOfOneIndexFromEitherEnd) {
  rows = b.input("y", {B, 3, 2, 5});
  EXPECT_TRUE(joined(stack(1, {0, 1, -1}, [&](int64_t i) { return dense(gathered(rows, 1, i)); })));
}
// unbind of PyTorch, tf.unstack.
TEST_F(JoinUnstacked, OfTheOutputsOfASplit) {
  const std::vector<ValueId> parts = b.node_with_outputs(OpKind::kSplit, {rows}, 3, SplitAttrs{0, {1, 1, 1}, 0});
  EXPECT_TRUE(joined(stack(0, {0, 1, 2}, [&](int64_t i) {
    return dense(b.node(OpKind::kSqueeze, {parts[static_cast<size_t>(i)], b.ints({0})}, AxesAttrs{{0}}));
  })));
}
TEST_F(JoinUnstacked, PartsOfASplitThatAreLongerStay) {
  rows = b.input("y", {4, B, 5});
  const std::vector<ValueId> parts = b.node_with_outputs(OpKind::kSplit, {rows}, 3, SplitAttrs{0, {1, 1, 2}, 0});
  EXPECT_FALSE(joined(b.node(OpKind::kConcat, {dense(parts[0]), dense(parts[1]), dense(parts[2])}, AxisAttrs{0})));
}
// Behind an empty part stands the first element, not the second.
TEST_F(JoinUnstacked, APartBehindAnEmptyOneStays) {
  const std::vector<ValueId> parts = b.node_with_outputs(OpKind::kSplit, {rows}, 3, SplitAttrs{0, {0, 1, 2}, 0});
  EXPECT_FALSE(joined(b.node(OpKind::kConcat, {dense(sliced(rows, 0, 0)), dense(parts[1]), dense(sliced(rows, 0, 2))}, AxisAttrs{0})));
}
TEST_F(JoinUnstacked, AlongAnotherAxisThanItWasTakenApart) {
  EXPECT_TRUE(joined(stack(1, {0, 1, 2}, [&](int64_t i) { return dense(squeezed(rows, 0, i)); })));
}
TEST_F(JoinUnstacked, OfSlicesThatKeepTheirAxis) {
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < 3; ++i) parts.push_back(dense(sliced(rows, 0, i)));
  EXPECT_TRUE(joined(b.node(OpKind::kConcat, parts, AxisAttrs{0})));
}

TEST_F(JoinUnstacked, AnotherOrderAndSomeOfThemStay) {
  EXPECT_FALSE(joined(stack(0, {0, 2, 1}, [&](int64_t i) { return dense(squeezed(rows, 0, i)); })));
  EXPECT_FALSE(joined(stack(0, {0, 1}, [&](int64_t i) { return dense(squeezed(rows, 0, i)); })));
}
TEST_F(JoinUnstacked, OtherWeightsStay) {
  const ValueId other = b.weights({5, 4}, 1);
  EXPECT_FALSE(joined(stack(0, {0, 1, 2}, [&](int64_t i) { return b.matmul(squeezed(rows, 0, i), i == 1 ? other : w); })));
}
TEST_F(JoinUnstacked, OtherFunctionsStay) {
  EXPECT_FALSE(joined(stack(0, {0, 1, 2}, [&](int64_t i) { return b.unary(i == 2 ? Unary::kTanh : Unary::kRelu, squeezed(rows, 0, i)); })));
}
TEST_F(JoinUnstacked, WhatSomebodyElseReadsStays) {
  EXPECT_FALSE(joined(stack(0, {0, 1, 2}, [&](int64_t i) {
    const ValueId y = dense(squeezed(rows, 0, i));
    if (i == 1) b.output(y);
    return y;
  })));
}
// [5] along the axis itself would be a constant for each element.
TEST_F(JoinUnstacked, AlongTheAxisOfTheFactorsStays) {
  rows = b.input("y", {B, 2, 3});
  const ValueId factors = b.weights({2});
  EXPECT_FALSE(joined(stack(2, {0, 1, 2}, [&](int64_t i) { return b.mul(squeezed(rows, 2, i), factors); })));
}
TEST_F(JoinUnstacked, AConstantOfMoreAxesThanStandBehindStays) {
  rows = b.input("y", {2, 3, 5});
  const ValueId factors = b.weights({2, 5});
  EXPECT_FALSE(joined(stack(1, {0, 1, 2}, [&](int64_t i) { return b.mul(squeezed(rows, 1, i), factors); })));
}

}  // namespace

}  // namespace edgeconv::testing
