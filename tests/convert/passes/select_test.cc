// Choices that tf2onnx writes as arithmetic, and ids that frameworks count from the end themselves.
#include "convert/passes/select.h"

#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kRows = 40;

class SelectPasses : public ::testing::Test {
 protected:
  ValueId cast(ValueId v, DType to) { return b.node(OpKind::kCast, {v}, CastAttrs{to}); }
  ValueId below(ValueId v, ValueId limit) { return b.node(OpKind::kBinary, {v, limit}, BinaryAttrs{binary::kLess}); }
  ValueId negation(ValueId v) { return b.unary(unary::kNot, v); }
  // condition * yes + !condition * no.
  ValueId chosen(ValueId condition, ValueId yes, ValueId no, DType type) {
    return b.add(b.mul(cast(condition, type), yes), b.mul(no, cast(negation(condition), type)));
  }
  GraphBuilder b;
};

class UnwrapIds : public SelectPasses {
 protected:
  UnwrapIds() : ids(b.input("ids", {B, S}, DType::kInt64)) {}
  ValueId number(int64_t n) { return b.constant(Tensor::ints({n}).reshaped({})); }
  ValueId is_negative() { return below(cast(ids, DType::kFloat), b.scalar(0)); }
  ValueId from_end(int64_t rows = kRows) { return b.add(ids, number(rows)); }
  void look_up(ValueId v) { b.output(b.node(OpKind::kGather, {b.weights({kRows, 4}), v}, AxisAttrs{0})); }
  ValueId ids;
};

TEST_F(SelectPasses, ArithmeticOfAMaskBecomesWhere) {
  const ValueId x = b.input("x", {B, S}), y = b.input("y", {B, S});
  b.output(chosen(below(x, b.scalar(0.5f)), b.scalar(-3), y, DType::kFloat));
  EXPECT_EQ(apply(b.g, {pass_fuse_select}), 1);
  EXPECT_EQ(only(b.g, OpKind::kWhere).in(2), y);
  EXPECT_EQ(count(b.g, OpKind::kCast), 0) << b.g.dump();
}

TEST_F(SelectPasses, TheNegatedSideMayComeFirst) {
  const ValueId x = b.input("x", {B, S}), y = b.input("y", {B, S});
  const ValueId condition = below(x, y);
  b.output(b.add(b.mul(cast(negation(condition), DType::kFloat), x), b.mul(cast(condition, DType::kFloat), y)));
  EXPECT_EQ(apply(b.g, {pass_fuse_select}), 1);
  EXPECT_EQ(only(b.g, OpKind::kWhere).in(1), y);
}

TEST_F(SelectPasses, TwoConditionsAndOneTwiceAreSums) {
  const ValueId x = b.input("x", {B, S}), y = b.input("y", {B, S});
  const ValueId one = below(x, y), other = below(y, b.scalar(0));
  b.output(b.add(b.mul(cast(one, DType::kFloat), x), b.mul(cast(negation(other), DType::kFloat), y)));
  b.output(b.add(b.mul(cast(one, DType::kFloat), x), b.mul(cast(one, DType::kFloat), y)));
  EXPECT_EQ(apply(b.g, {pass_fuse_select}), 0);
}

// A Transformer of Keras: its ids looked like a mask, made-up ones were all zero or one, and the certificate said .99989 of a model that
// gave .9990.
TEST_F(UnwrapIds, ArithmeticOfTensorFlow) {
  look_up(chosen(is_negative(), from_end(), ids, DType::kInt64));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).input_range.at(ids), std::make_pair(int32_t{-kRows}, int32_t{kRows - 1}));
  EXPECT_EQ(apply(b.g, {pass_unwrap_ids}), 1);
  EXPECT_EQ(only(b.g, OpKind::kGather).in(1), ids);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 0) << b.g.dump();
}

TEST_F(UnwrapIds, WhereOfJax) {
  look_up(b.node(OpKind::kWhere, {below(ids, number(0)), from_end(), ids}));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).input_range.at(ids).second, kRows - 1);
  EXPECT_EQ(apply(b.g, {pass_unwrap_ids}), 1);
}

TEST_F(UnwrapIds, ZeroBelowIdsIsAnotherQuestion) {
  look_up(b.node(OpKind::kWhere, {below(number(0), ids), ids, from_end(0)}));
  EXPECT_EQ(apply(b.g, {pass_unwrap_ids}), 0);
}

TEST_F(UnwrapIds, AnotherNumberOfRowsStays) {
  look_up(b.node(OpKind::kWhere, {below(ids, number(0)), from_end(kRows - 8), ids}));
  EXPECT_EQ(apply(b.g, {pass_unwrap_ids}), 0);
}

TEST_F(UnwrapIds, AnotherLimitThanZeroStays) {
  look_up(b.node(OpKind::kWhere, {below(ids, number(-1)), from_end(), ids}));
  EXPECT_EQ(apply(b.g, {pass_unwrap_ids}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
