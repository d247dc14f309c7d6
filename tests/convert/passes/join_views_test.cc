// Concats that put views of one tensor together again.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class JoinViews : public ::testing::Test {
 protected:
  ValueId sliced(ValueId v, int64_t axis, int64_t from, int64_t to) {
    return b.node(OpKind::kSlice, {v, b.ints({from}), b.ints({to}), b.ints({axis}), b.ints({1})});
  }
  ValueId gathered(ValueId v, int64_t axis, int64_t index) {
    return b.node(OpKind::kGather, {v, b.constant(Tensor::scalar(index))}, AxisAttrs{axis});
  }
  ValueId concat(const std::vector<ValueId>& parts, int64_t axis) { return b.node(OpKind::kConcat, parts, AxisAttrs{axis}); }
  bool joined(ValueId y) {
    b.output(y);
    return apply(b.g, {pass_join_views}) == 1 && count(b.g, OpKind::kConcat) == 0;
  }

  GraphBuilder b;
  ValueId x = b.input("x", {B, 2, 3, 4});
};

// Both directions of an LSTM of tf2onnx: sequence, direction, batch, hidden.
TEST_F(JoinViews, DirectionsSideBySide) {
  const auto direction = [&](int64_t i) { return b.node(OpKind::kSqueeze, {sliced(x, 1, i, i + 1), b.ints({1})}, AxesAttrs{{1}}); };
  EXPECT_TRUE(joined(concat({direction(0), direction(1)}, -1)));
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
}
TEST_F(JoinViews, TransposedOnTheirWay) {
  const auto direction = [&](int64_t i) { return b.transpose(gathered(x, 1, i), {1, 2, 0}); };
  EXPECT_TRUE(joined(concat({direction(0), direction(1)}, 1)));
}
TEST_F(JoinViews, PartsOfASplit) {
  const std::vector<ValueId> parts = b.node_with_outputs(OpKind::kSplit, {x}, 2, SplitAttrs{3, {2, 2}, 0});
  EXPECT_TRUE(joined(concat({parts[0], parts[1]}, 3)));
}
TEST_F(JoinViews, LongerPartsSideBySideElsewhere) { EXPECT_TRUE(joined(concat({sliced(x, 3, 0, 2), sliced(x, 3, 2, 4)}, 2))); }
TEST_F(JoinViews, AnotherOrderStays) { EXPECT_FALSE(joined(concat({sliced(x, 3, 2, 4), sliced(x, 3, 0, 2)}, 3))); }
TEST_F(JoinViews, PartsThatAreMissingStay) { EXPECT_FALSE(joined(concat({sliced(x, 3, 0, 1), sliced(x, 3, 1, 2), sliced(x, 3, 2, 3)}, 3))); }
TEST_F(JoinViews, PartsThatDoNotBeginTheTensorStay) { EXPECT_FALSE(joined(concat({sliced(x, 3, 2, 3), sliced(x, 3, 3, 4)}, 3))); }
TEST_F(JoinViews, PartsThatOverlapStay) { EXPECT_FALSE(joined(concat({sliced(x, 3, 0, 3), sliced(x, 3, 1, 4)}, 3))); }
TEST_F(JoinViews, UnequalPartsStay) { EXPECT_FALSE(joined(concat({sliced(x, 3, 0, 1), sliced(x, 3, 1, 4)}, 3))); }
TEST_F(JoinViews, PartsThatLackElementsOfAnotherAxisStay) {
  EXPECT_FALSE(joined(concat({sliced(sliced(x, 3, 0, 2), 2, 0, 2), sliced(sliced(x, 3, 2, 4), 2, 0, 2)}, 3)));
}
TEST_F(JoinViews, PartsTurnedDifferentlyStay) {
  const ValueId y = b.input("y", {2, 3, 3});
  EXPECT_FALSE(joined(concat({gathered(y, 0, 0), b.transpose(gathered(y, 0, 1), {1, 0})}, 1)));
}
TEST_F(JoinViews, OneTensorTwiceStays) {
  EXPECT_FALSE(joined(concat({sliced(x, 3, 0, 2), sliced(x, 3, 0, 2)}, 3)));
}
TEST_F(JoinViews, PartsOfTwoTensorsStay) {
  const ValueId y = b.input("y", {B, 2, 3, 4});
  EXPECT_FALSE(joined(concat({sliced(x, 3, 0, 2), sliced(y, 3, 2, 4)}, 3)));
}

}  // namespace

}  // namespace edgeconv::testing
