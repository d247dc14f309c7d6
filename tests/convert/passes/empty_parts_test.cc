// Parts of tensors that are, or could be, empty: the runtime has none, so passes remove them.
#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class ShiftedTokens : public ::testing::Test {
 protected:
  ShiftedTokens() : x(b.input("x", {B, S, 4})) {}
  ValueId slice(int64_t start, int64_t end) { return b.node(OpKind::kSlice, {x, b.ints({start}), b.ints({end}), b.ints({1})}); }
  ValueId pad(ValueId v, const std::vector<int64_t>& pads) {
    return b.node(OpKind::kPad, {v, b.ints(pads), b.scalar(0.5f)}, PadAttrs{});
  }
  int fused() { return apply(b.g, {pass_fuse_pad}); }
  GraphBuilder b;
  ValueId x;
};

// MobileBERT joins every token with its neighbours: with one token the slices are empty.
TEST_F(ShiftedTokens, BecomeOnePad) {
  b.output(pad(slice(1, INT64_MAX), {0, 0, 0, 0, 1, 0}));
  b.output(pad(slice(0, -1), {0, 1, 0, 0, 0, 0}));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).range.at("seq").first, 2);
  EXPECT_EQ(fused(), 2);
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
  EXPECT_EQ(plan_dims(b.g, {}).range.at("seq").first, 1);
}

// The cut end is filled again: the fill must not become data.
TEST_F(ShiftedTokens, AnEndThatIsCutAndPaddedStays) {
  b.output(pad(slice(1, INT64_MAX), {0, 1, 0, 0, 0, 0}));
  b.output(pad(slice(0, -1), {0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(fused(), 0);
}

TEST_F(ShiftedTokens, OtherModesAndStartsFromTheEndStay) {
  b.output(b.node(OpKind::kPad, {slice(1, INT64_MAX), b.ints({0, 0, 0, 0, 1, 0}), b.scalar(0.5f)}, PadAttrs{2}));
  b.output(pad(slice(-2, INT64_MAX), {0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(fused(), 0);
}

// cat([x[..., :d], x[..., d:]]) of a head that is rotated whole: the second part has no columns.
TEST(EmptyOperands, LeaveConcat) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4});
  const ValueId rest = b.node(OpKind::kSlice, {x, b.ints({4}), b.ints({INT64_MAX}), b.ints({2})});
  const ValueId one = b.node(OpKind::kConcat, {b.unary(unary::kNeg, x), rest}, AxisAttrs{-1});
  b.output(b.unary(Unary::kTanh, one));
  b.output(b.node(OpKind::kConcat, {x, rest, x}, AxisAttrs{2}));
  apply(b.g, {pass_remove_identities});
  EXPECT_EQ(only(b.g, OpKind::kConcat).inputs.size(), 2u);
  EXPECT_EQ(count(b.g, OpKind::kSlice), 0);
}

}  // namespace

}  // namespace edgeconv::testing
