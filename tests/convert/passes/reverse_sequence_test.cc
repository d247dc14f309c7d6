// decompose_reverse_sequence: rows in reverse as the interpreter's ReverseSequence gives them.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

// Sequences of these lengths, in reverse.
GraphBuilder reversed(Shape shape, int64_t time, const std::vector<int64_t>& lengths) {
  GraphBuilder b;
  b.output(b.node(OpKind::kReverseSequence, {b.input("x", std::move(shape)), b.ints(lengths)}, AxisAttrs{time}));
  EXPECT_EQ(apply(b.g, {pass_decompose_reverse_sequence}), 1);
  EXPECT_EQ(count(b.g, OpKind::kReverseSequence), 0);
  return b;
}

TEST(DecomposeReverseSequence, ALengthForEachSequence) {
  for (const int64_t time : {0, 1})
    for (const std::vector<int64_t>& lengths : {std::vector<int64_t>{1, 4, 3}, {4, 4, 0}, {2, 2, 2}}) {
      const int64_t rows = 4, batch = 3;
      const Shape shape = time == 0 ? Shape{rows, batch, 2} : Shape{batch, rows, 2};
      EXPECT_EQ(count(reversed(shape, time, lengths).g, OpKind::kGatherND), 1);
    }
  reversed({4, 3}, 0, {1, 4, 3});
  reversed({3, 4, 2, 5}, 1, {1, 4, 3});
}

TEST(DecomposeReverseSequence, AllRowsAreOneSlice) {
  EXPECT_EQ(count(reversed({4, 3, 2}, 0, {4, 4, 4}).g, OpKind::kSlice), 1);
  EXPECT_EQ(count(reversed({3, 4}, 1, {4, 4, 4}).g, OpKind::kSlice), 1);
}

// The backward half of a Bidirectional layer of Keras, as tf2onnx writes it: lengths are the size of the axis, expanded to the batch.
TEST(DecomposeReverseSequence, LengthsExpandedFromTheSizeOfTheAxis) {
  GraphBuilder b;
  const ValueId x = b.input("x", {S, B, 3});
  const ValueId rows = b.node(OpKind::kShape, {x}, ShapeAttrs{0, 1}), batch = b.node(OpKind::kShape, {x}, ShapeAttrs{1, 2});
  b.output(b.node(OpKind::kReverseSequence, {x, b.node(OpKind::kExpand, {rows, batch})}, AxisAttrs{0}));
  EXPECT_EQ(apply(b.g, {pass_decompose_reverse_sequence}), 1);
  EXPECT_EQ(count(b.g, OpKind::kSlice), 1);
  EXPECT_EQ(count(b.g, OpKind::kGatherND), 0);
}

}  // namespace

}  // namespace edgeconv::testing
