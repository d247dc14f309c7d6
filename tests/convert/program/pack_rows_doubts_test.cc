// Small programs, one doubt each: what the proof of pack_rows accepts and what it must not.
#include <gtest/gtest.h>

#include "tests/convert/program/doubted_program.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;
namespace bin = ert::params::binary;

class Doubt : public ::testing::Test, protected testing::DoubtedProgram {};

TEST_F(Doubt, SelfAttentionUnderTheMask) { EXPECT_TRUE(packs(attention(x, x, keys))); }
TEST_F(Doubt, AttentionWithoutMask) { EXPECT_FALSE(packs(attention(x, x, -1))); }
TEST_F(Doubt, OneOfTwoAttentionsWithoutMask) { EXPECT_FALSE(packs(attention(attention(x, x, keys), x, -1))); }
TEST_F(Doubt, AFillThatScoresCouldOutweigh) { EXPECT_FALSE(packs(attention(x, x, masked(mask, -10.0f)))); }
TEST_F(Doubt, AFillThatFavoursPadding) { EXPECT_TRUE(packs(attention(x, x, masked(mask, 10000.0f)))) << "1 marks padding then"; }
TEST_F(Doubt, TheMaskOfAnotherText) {
  const int other = import("other", {B, S}, INT32_MIN, INT32_MAX);
  const int both = arena(ERT_F32, {B, S, 8});
  op(OpCode::kBinary, {attention(x, x, keys), attention(x, x, masked(other, -10000.0f))}, both, {bin::kAdd});
  EXPECT_FALSE(packs(both));
}
TEST_F(Doubt, AMaskOverQueriesInsteadOfKeys) {
  const int m = cast(mask, {B, 1, S, 1}), wide = arena(ERT_F32, {B, 1, S, S}), bias = arena(ERT_F32, {B, 1, S, S});
  op(OpCode::kExpand, {m}, wide);
  op(OpCode::kBinary, {wide, scalar(10000.0f)}, bias, {bin::kMul});
  EXPECT_FALSE(packs(attention(x, x, bias)));
}
TEST_F(Doubt, AttentionToAnotherSequence) {
  const int other_ids = import("other_ids", {B, S}, 0, 15), y = arena(ERT_F32, {B, S, 8});
  op(OpCode::kEmbedding, {other_ids, table, -1}, y);
  EXPECT_FALSE(packs(attention(y, attention(x, x, keys), keys)));
}
TEST_F(Doubt, MeanOverPaddedPositions) { EXPECT_FALSE(packs(mean(attention(x, x, keys), -1))); }
TEST_F(Doubt, MeanUnderTheMask) { EXPECT_TRUE(packs(mean(attention(x, x, keys), cast(mask, {B, S})))); }
TEST_F(Doubt, MeanUnderTheMaskAlone) { EXPECT_TRUE(packs(mean(x, cast(mask, {B, S})))); }
TEST_F(Doubt, SumOfMaskedRows) {
  const int product = arena(ERT_F32, {B, S, 8}), sum = arena(ERT_F32, {B, 8});
  op(OpCode::kBinary, {attention(x, x, keys), cast(mask, {B, S, 1})}, product, {bin::kMul});
  op(OpCode::kReduce, {product}, sum, {ert::params::reduce::kSum, 2});
  EXPECT_TRUE(packs(sum));
}
TEST_F(Doubt, MaximumOfRowsThatAreZeroWherePadded) {
  const int product = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kBinary, {attention(x, x, keys), cast(mask, {B, S, 1})}, product, {bin::kMul});
  op(OpCode::kReduce, {product}, most, {ert::params::reduce::kMax, 2});
  EXPECT_FALSE(packs(most));
}
TEST_F(Doubt, MaximumOfWhatAMaskSelects) {
  const int token = arena(ERT_BOOL, {B, S, 1}), chosen = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kCast, {p.add_alias(mask, {B, S, 1})}, token);
  op(OpCode::kWhere, {token, attention(x, x, keys), scalar(-1e9f)}, chosen);
  op(OpCode::kReduce, {chosen}, most, {ert::params::reduce::kMax, 2});
  EXPECT_TRUE(packs(most));
}
TEST_F(Doubt, MaximumOfWhatAMaskSelectsTheWrongWayRound) {
  const int token = arena(ERT_BOOL, {B, S, 1}), chosen = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kCast, {p.add_alias(mask, {B, S, 1})}, token);
  op(OpCode::kWhere, {token, scalar(-1e9f), attention(x, x, keys)}, chosen);
  op(OpCode::kReduce, {chosen}, most, {ert::params::reduce::kMax, 2});
  EXPECT_FALSE(packs(most));
}
TEST_F(Doubt, TheFirstPosition) {
  const int first = arena(ERT_F32, {B, 8});
  op(OpCode::kGather, {attention(x, x, keys), index(0)}, first, {1});
  EXPECT_TRUE(packs(first));
}
TEST_F(Doubt, TheLastPosition) {
  const int last = arena(ERT_F32, {B, 8});
  op(OpCode::kGather, {attention(x, x, keys), index(-1)}, last, {1});
  EXPECT_FALSE(packs(last));
}
TEST_F(Doubt, AnOutputWithPositionsElsewhere) {
  const int turned = arena(ERT_F32, {B, 8, S});
  op(OpCode::kTranspose, {attention(x, x, keys)}, turned, {0, 2, 1});
  EXPECT_FALSE(packs(turned));
}
TEST_F(Doubt, AnOpAcrossPositions) {
  const int sums = arena(ERT_F32, {B, S, 8});
  op(OpCode::kCumSum, {attention(x, x, keys)}, sums, {1, 0, 0});
  EXPECT_FALSE(packs(sums));
}
TEST_F(Doubt, AnElementwiseOpAcrossPositionsByBroadcast) {
  const int first = arena(ERT_F32, {B, 8}), difference = arena(ERT_F32, {B, S, 8}), a = attention(x, x, keys);
  op(OpCode::kGather, {a, index(0)}, first, {1});
  op(OpCode::kBinary, {a, p.add_alias(first, {B, 1, 8})}, difference, {bin::kSub});
  EXPECT_TRUE(packs(difference)) << "the first position of every row is not padding";
}
TEST_F(Doubt, PositionsOfTheirOwn) {
  const int position = constant({64, 8}), range = arena(ERT_I32, {S}), rows = arena(ERT_F32, {S, 8}),
            sum = arena(ERT_F32, {B, S, 8});
  op(OpCode::kRange, {}, range, {p.exprs.add(DimExpr(0)), 1});
  op(OpCode::kEmbedding, {range, position, -1}, rows);
  op(OpCode::kBinary, {x, rows}, sum, {bin::kAdd});
  EXPECT_TRUE(packs(attention(sum, sum, keys)));
}
TEST_F(Doubt, RotatedHeads) {
  const int cos = constant({64, 4}), range = arena(ERT_I32, {S}), angle = arena(ERT_F32, {S, 4}),
            turned = arena(ERT_F32, {B, S, 8});
  op(OpCode::kRange, {}, range, {p.exprs.add(DimExpr(0)), 1});
  op(OpCode::kEmbedding, {range, cos, -1}, angle);
  const int angles = p.add_alias(angle, {1, S, 4});
  op(OpCode::kRope, {x, angles, angles}, turned, {2, 4, 4, 0, 0});
  EXPECT_TRUE(packs(attention(turned, turned, keys)));
  for (const TargetOp& o : p.ops) {
    if (o.code != OpCode::kRope) continue;
    for (int v : o.inputs) EXPECT_EQ(p.values[static_cast<size_t>(v)].shape[1], DimExpr::symbol(p.packing->rows));
  }
}
TEST_F(Doubt, GatedHalves) {
  const int gated = arena(ERT_F32, {B, S, 4}), wide = arena(ERT_F32, {B, S, 8});
  op(OpCode::kGlu, {x, x}, gated, {0, 0, 4});
  op(OpCode::kConcat, {gated, gated}, wide, {2});
  EXPECT_TRUE(packs(attention(wide, wide, keys)));
}
TEST_F(Doubt, ATextWithoutMaskBesideOneWithMaskIsLeftOut) {
  const int other_ids = import("other_ids", {B, S}, 0, 15), y = arena(ERT_F32, {B, S, 8}), z = arena(ERT_F32, {B, S, 8});
  op(OpCode::kEmbedding, {other_ids, table, -1}, y);
  op(OpCode::kUnary, {y}, z, {ert::params::unary::kNeg}, {0});
  output(z);
  EXPECT_TRUE(packs(attention(x, x, keys)));
  for (const TargetOp& o : p.ops)
    EXPECT_TRUE(o.code != OpCode::kUnary || p.values[static_cast<size_t>(o.inputs[0])].shape[1] == S);
}

}  // namespace

}  // namespace edgeconv
