// Outputs that hold numbers of classes, and what is measured in their place.
#include "convert/measure/class_scores.h"

#include <gtest/gtest.h>

#include <limits>

#include "convert/measure/compare.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

ValueId arg_max(GraphBuilder& b, ValueId scores, int64_t axis) { return b.node(OpKind::kArgMinMax, {scores}, ArgAttrs{axis, false, true, false}); }

TEST(ClassScores, AreFoundThroughCastsViewsAndLabels) {
  GraphBuilder b;
  const ValueId scores = b.softmax(b.input("x", {2, 3, 5})), best = arg_max(b, scores, -1);
  const ValueId labels = b.node(OpKind::kGather, {b.ints({7, 5, 3, 2, 1}), b.reshape(best, {6})}, AxisAttrs{0});
  const ValueId y = b.node(OpKind::kCast, {labels}, CastAttrs{DType::kInt32});
  b.output(y);
  finish(b.g);
  const auto found = class_scores(b.g, y);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chosen, best);
  EXPECT_EQ(found->scores, scores);
  EXPECT_EQ(found->axis, 2);
  EXPECT_EQ(found->operation, "ArgMax, axis -1");
}

TEST(ClassScores, OfATopKAreThoseOfItsPositions) {
  GraphBuilder b;
  const ValueId scores = b.unary(Unary::kTanh, b.input("x", {2, 5}));
  const std::vector<ValueId> best = b.node_with_outputs(OpKind::kTopK, {scores, b.ints({2})}, 2, TopKAttrs{1, true, true});
  b.output(best[0]), b.output(best[1]);
  finish(b.g);
  EXPECT_FALSE(class_scores(b.g, best[0]));
  ASSERT_TRUE(class_scores(b.g, best[1]));
  EXPECT_EQ(class_scores(b.g, best[1])->operation, "TopK, axis 1");
}

// Rows of a codebook that an ArgMin chooses are values; the place of the largest of integers is exact or wrong.
TEST(ClassScores, AreNotThoseOfWhatIsLookedUpNorOfIntegers) {
  GraphBuilder b;
  const ValueId vectors = b.node(OpKind::kGather, {b.weights({5, 4}), arg_max(b, b.input("x", {2, 5}), 1)}, AxisAttrs{0});
  const ValueId end = arg_max(b, b.input("ids", {2, 5}, DType::kInt64), 1);
  b.output(vectors), b.output(end);
  finish(b.g);
  EXPECT_FALSE(class_scores(b.g, vectors));
  EXPECT_FALSE(class_scores(b.g, end));
}

TEST(ClassScores, AreRowsOfOneChoiceLessTheirMean) {
  const Tensor scores = Tensor::of<float>(DType::kFloat, {1, 3, 2}, {1, 10, 2, 20, 3, 30});
  const Tensor rows = rows_of_scores(scores, 1, true), whole = rows_of_scores(scores, 1, false);
  EXPECT_EQ(rows.dims(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(rows.to_float(), (std::vector<float>{-1, 0, 1, -10, 0, 10}));
  EXPECT_EQ(whole.to_float(), (std::vector<float>{1, 2, 3, 10, 20, 30}));
}

// A class that no choice may take has minus infinity.
TEST(ClassScores, KeepInfinitiesThatExcludeClasses) {
  const float none = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(rows_of_scores(Tensor::of<float>(DType::kFloat, {3}, {1, none, 3}), 0, true).to_float(), (std::vector<float>{-1, none, 1}));
}

// The blob's rows are those of tokens, in one sequence.
TEST(ClassScores, OfPackedRowsStandWhereTheModelHasThem) {
  const TokenMask mask{2, 2, {1, 0, 1, 1}};
  const Tensor held = Tensor::of<float>(DType::kFloat, {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(scores_in_shape(held, {2, 2, 2}, mask).to_float(), (std::vector<float>{1, 2, 0, 0, 3, 4, 5, 6}));
  EXPECT_EQ(scores_in_shape(held, {2, 2, 2}, {}).dtype(), DType::kUndefined);
  EXPECT_EQ(scores_in_shape(held, {2, 4, 2}, mask).dtype(), DType::kUndefined);
}

// Class 16 instead of 0 was an error of 16 in values up to 16, whatever the scores of both.
TEST(ClassScores, AreComparedInPlaceOfTheirNumbers) {
  DecidedBy by;
  by.scores = MeasuredScores{1, 1, "ArgMax, axis 1"};
  Comparison c({"tags"}, {by});
  const Tensor scores = Tensor::of<float>(DType::kFloat, {2, 4}, {1, 0, 0.999f, 0, 0, 1, 0, 0}), got = Tensor::of<float>(DType::kFloat, {2, 4}, {1, 0, 1.001f, 0, 0, 1, 0, 0});
  c.add({Tensor::ints({0, 1}), scores}, {Tensor::ints({2, 1}), got});
  const OutputError e = c.errors()[0];
  EXPECT_EQ(e.scores_before, "ArgMax, axis 1");
  EXPECT_GT(e.cosine, 0.99999);
  EXPECT_EQ(e.argmax_agreement, 0.5);
  EXPECT_EQ(e.elements, 8);
}

TEST(ClassScores, ThatABlobDoesNotHoldLeaveNumbersToBeCompared) {
  DecidedBy by;
  by.scores = MeasuredScores{1, 1, "ArgMax, axis 1"};
  Comparison c({"tags"}, {by});
  c.add({Tensor::ints({0, 1}), Tensor(DType::kFloat, {2, 4})}, {Tensor::ints({0, 1}), Tensor()});
  EXPECT_EQ(c.errors()[0].scores_before, "");
  EXPECT_EQ(c.errors()[0].elements, 2);
}

}  // namespace

}  // namespace edgeconv::testing
