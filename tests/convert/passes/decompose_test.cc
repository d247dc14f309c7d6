// Einsum and the norms that the runtime does not have become operators that it has, with the same numbers.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

class Einsum : public ::testing::Test {
 protected:
  int decompose(const std::string& equation, const std::vector<ValueId>& operands) {
    b.output(b.node(OpKind::kEinsum, operands, EinsumAttrs{equation}));
    return apply(b.g, {pass_decompose_einsum});
  }
  GraphBuilder b;
};

TEST_F(Einsum, AttentionScores) {
  EXPECT_EQ(decompose("bqhd,bkhd->bhqk", {b.input("q", {B, S, 2, 4}), b.input("k", {B, S, 2, 4})}), 1);
  EXPECT_EQ(count(b.g, OpKind::kMatMul), 1);
}

TEST_F(Einsum, AttentionValues) {
  EXPECT_EQ(decompose("bhqk,bkhd->bqhd", {b.input("p", {B, 2, S, S}), b.input("v", {B, S, 2, 4})}), 1);
}
TEST_F(Einsum, RelativePositions) {
  EXPECT_EQ(decompose("bhld,lrd->bhlr", {b.input("q", {B, 2, 5, 4}), b.weights({5, 5, 4})}), 1);
}
TEST_F(Einsum, Outer) { EXPECT_EQ(decompose("i,j->ij", {b.input("x", {B}), b.input("y", {S})}), 1); }
TEST_F(Einsum, SumOfOneOperand) { EXPECT_EQ(decompose("bsh->hb", {b.input("x", {B, S, 8})}), 1); }
TEST_F(Einsum, Ellipsis) { EXPECT_EQ(decompose("...i,ij->...j", {b.input("x", {B, S, 8}), b.weights({8, 3})}), 1); }
TEST_F(Einsum, ThreeOperands) {
  EXPECT_EQ(decompose("bsh,hn,n->bs", {b.input("x", {B, S, 8}), b.weights({8, 3}), b.weights({3})}), 1);
}
TEST_F(Einsum, LettersThatOnlyOneOperandHas) {
  EXPECT_EQ(decompose("bsh,hn->bn", {b.input("x", {B, S, 8}), b.weights({8, 3})}), 1);
}
TEST_F(Einsum, DiagonalOfAFixedSizeIsALookup) { EXPECT_EQ(decompose("ibi->bi", {b.input("x", {4, B, 4})}), 1); }
TEST_F(Einsum, DiagonalOfAnUnknownSizeStays) { EXPECT_EQ(decompose("ii->i", {b.input("x", {S, S})}), 0); }

// Weights may stand on either side; the product becomes a Linear.
TEST_F(Einsum, WeightsBecomeALinear) {
  for (const char* equation : {"bsh,hnd->bsnd", "nh,bsh->bsn"}) {
    GraphBuilder one;
    const ValueId x = one.input("x", {B, S, 8});
    const bool first = equation[0] == 'n';
    const ValueId w = first ? one.weights({3, 8}) : one.weights({8, 3, 2});
    one.output(one.node(OpKind::kEinsum, first ? std::vector<ValueId>{w, x} : std::vector<ValueId>{x, w}, EinsumAttrs{equation}));
    apply_all(one.g);
    only(one.g, OpKind::kLinear);
    EXPECT_EQ(count(one.g, OpKind::kMatMul) + count(one.g, OpKind::kEinsum), 0) << one.g.dump();
  }
}

class Norms : public ::testing::Test {
 protected:
  void expect_rewritten(OpKind kind) {
    EXPECT_EQ(apply(b.g, {pass_decompose_norms}), 1);
    EXPECT_EQ(count(b.g, kind), 0) << b.g.dump();
  }
  GraphBuilder b;
};

TEST_F(Norms, GroupNormalization) {
  b.output(b.node(OpKind::kGroupNormalization, {b.input("x", {B, 6, S}), b.weights({6}, 1), b.weights({6})},
                  GroupNormAttrs{2, 1e-5f}));
  expect_rewritten(OpKind::kGroupNormalization);
}

TEST_F(Norms, GroupNormalizationWithScalesPerGroup) {
  b.output(b.node(OpKind::kGroupNormalization, {b.input("x", {B, 6, 3, 2}), b.weights({2}, 1), b.weights({2})},
                  GroupNormAttrs{2, 1e-5f}));
  expect_rewritten(OpKind::kGroupNormalization);
}

TEST_F(Norms, InstanceNormalizationWithComputedScale) {
  b.output(b.node(OpKind::kInstanceNormalization, {b.input("x", {B, 6, S}), b.input("scale", {6}), b.weights({6})},
                  BatchNormAttrs{1e-5f}));
  expect_rewritten(OpKind::kInstanceNormalization);
}

TEST_F(Norms, BatchNormalizationWithComputedScale) {
  const ValueId x = b.input("x", {B, 4, S});
  b.output(b.node(OpKind::kBatchNormalization, {x, b.input("scale", {4}), b.weights({4}), b.weights({4}), b.weights({4}, 1)},
                  BatchNormAttrs{1e-5f}));
  expect_rewritten(OpKind::kBatchNormalization);
}

// Two axes of known size are one for the runtime's norm.
TEST_F(Norms, LayerNormalizationOverSeveralAxes) {
  b.output(b.node(OpKind::kLayerNormalization, {b.input("x", {B, 6, 3}), b.weights({6, 3}, 1), b.weights({6, 3})},
                  NormAttrs{1, 1e-5f, false}));
  apply_all(b.g);
  only(b.g, OpKind::kNorm);
}

TEST_F(Norms, LayerNormalizationOverASequence) {
  b.output(b.node(OpKind::kLayerNormalization, {b.input("x", {B, S, 3}), b.weights({3}, 1)}, NormAttrs{1, 1e-5f, false}));
  expect_rewritten(OpKind::kLayerNormalization);
}

TEST_F(Norms, PlainLayerNormalizationIsLeftToItsOwnPass) {
  b.output(b.node(OpKind::kLayerNormalization, {b.input("x", {B, S, 3}), b.weights({3}, 1)}, NormAttrs{-1, 1e-5f, false}));
  EXPECT_EQ(apply(b.g, {pass_decompose_norms}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
