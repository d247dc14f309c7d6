// A reduction over what was stacked is a Binary of each value with the next.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class UnstackReduce : public ::testing::Test {
 protected:
  // `count` inputs [B, S, 5] behind another axis of 1, joined there.
  ValueId stack(size_t count, std::vector<int64_t> with_one = {0, 0, 5, 1}, int64_t axis = 3) {
    std::vector<ValueId> parts;
    for (size_t i = 0; i < count; ++i) parts.push_back(b.reshape(b.input("x" + std::to_string(i), {B, S, 5}), with_one));
    return b.node(OpKind::kConcat, parts, AxisAttrs{axis});
  }
  int unstacked(ValueId x, reduce::Kind kind, const std::vector<int64_t>& axes, bool keep = false) {
    b.output(b.node(OpKind::kReduce, {x}, ReduceAttrs{kind, axes, keep, false}));
    return apply(b.g, {pass_unstack_reduce});
  }
  GraphBuilder b;
};

// The convolutions of several widths of a word segmenter, the largest of which goes on.
TEST_F(UnstackReduce, TheLargestOfThree) {
  EXPECT_EQ(unstacked(stack(3), reduce::kMax, {3}), 1);
  EXPECT_EQ(count(b.g, OpKind::kReduce) + count(b.g, OpKind::kConcat), 0);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 2);
}
TEST_F(UnstackReduce, TheAxisMayStayAndBeCountedFromTheEnd) { EXPECT_EQ(unstacked(stack(2), reduce::kMin, {-1}, true), 1); }
TEST_F(UnstackReduce, SumsMeansAndProducts) {
  EXPECT_EQ(unstacked(stack(4), reduce::kSum, {3}), 1);
  EXPECT_EQ(unstacked(stack(3), reduce::kMean, {3}), 1);
  EXPECT_EQ(unstacked(stack(2), reduce::kMean, {3}, true), 1);
  EXPECT_EQ(unstacked(stack(3), reduce::kProd, {3}), 1);
}
// In float16 a third is .33325, and the mean as wrong.
TEST_F(UnstackReduce, MeansAreDividedByANumberThatEveryTypeHas) {
  unstacked(stack(3), reduce::kMean, {3});
  const Node* mean = b.g.producer(b.g.outputs[0]);
  ASSERT_EQ(mean->as<BinaryAttrs>().kind, ert::params::binary::kDiv);
  EXPECT_EQ(b.g.value(mean->in(1)).constant->to_float(), std::vector<float>{3});
}
TEST_F(UnstackReduce, InTheMiddle) { EXPECT_EQ(unstacked(stack(3, {0, 1, -1, 5}, -3), reduce::kMax, {1}), 1); }

TEST_F(UnstackReduce, OtherAxesAndKindsStay) {
  EXPECT_EQ(unstacked(stack(3), reduce::kMax, {2}), 0);
  EXPECT_EQ(unstacked(stack(3), reduce::kMax, {2, 3}), 0);
  EXPECT_EQ(unstacked(stack(3), reduce::kL2, {3}), 0);
}
TEST_F(UnstackReduce, LongerPartsAndMoreThanEightStay) {
  EXPECT_EQ(unstacked(stack(3, {0, 0, 5}, 2), reduce::kMax, {2}), 0);
  EXPECT_EQ(unstacked(stack(9), reduce::kMax, {3}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
