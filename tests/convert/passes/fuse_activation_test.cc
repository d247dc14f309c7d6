// Every spelling of an activation that exporters write becomes one Unary node of the right kind, and look-alikes stay.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

const float kRoot2 = std::sqrt(2.0f), kTanhFactor = std::sqrt(2.0f / 3.14159265f);

class FuseActivation : public ::testing::Test {
 protected:
  FuseActivation() : x(b.input("x", {DimExpr::symbol("batch"), 8})) {}
  // erf(x / sqrt 2) + 1
  ValueId erf_plus_1() { return b.add(b.unary(Unary::kErf, b.div(x, b.scalar(kRoot2))), b.scalar(1)); }
  // tanh(sqrt(2/pi) (x + 0.044715 cube)) + 1
  ValueId tanh_plus_1(ValueId cube) {
    const ValueId inner = b.mul(b.add(x, b.mul(cube, b.scalar(0.044715f))), b.scalar(kTanhFactor));
    return b.add(b.scalar(1), b.unary(Unary::kTanh, inner));
  }
  void expect_fused(ValueId y, Unary kind) {
    b.output(y);
    EXPECT_EQ(apply(b.g, {pass_fuse_activation}, 2e-4f), 1);
    EXPECT_EQ(only(b.g, OpKind::kUnary).as<UnaryAttrs>().kind, static_cast<int>(kind));
    EXPECT_EQ(count(b.g, OpKind::kBinary), 0) << b.g.dump();
  }
  void expect_untouched(ValueId y) {
    b.output(y);
    EXPECT_EQ(apply(b.g, {pass_fuse_activation}), 0) << b.g.dump();
  }
  GraphBuilder b;
  ValueId x;
};

TEST_F(FuseActivation, GeluErfHalfLast) { expect_fused(b.mul(b.mul(x, erf_plus_1()), b.scalar(0.5f)), Unary::kGeluErf); }
TEST_F(FuseActivation, GeluErfHalfFirst) { expect_fused(b.mul(b.mul(x, b.scalar(0.5f)), erf_plus_1()), Unary::kGeluErf); }
TEST_F(FuseActivation, GeluErfHalfOnTheGate) { expect_fused(b.mul(x, b.mul(b.scalar(0.5f), erf_plus_1())), Unary::kGeluErf); }
TEST_F(FuseActivation, GeluErfByMultiplication) {
  const ValueId gate = b.add(b.unary(Unary::kErf, b.mul(x, b.scalar(0.70710678f))), b.scalar(1));
  expect_fused(b.mul(b.mul(b.scalar(0.5f), x), gate), Unary::kGeluErf);
}
TEST_F(FuseActivation, GeluTanhByPow) {
  const ValueId gate = tanh_plus_1(b.pow(x, b.scalar(3)));
  expect_fused(b.mul(b.mul(x, b.scalar(0.5f)), gate), Unary::kGeluTanh);
}
TEST_F(FuseActivation, GeluTanhByProducts) {
  const ValueId gate = tanh_plus_1(b.mul(b.mul(x, x), x));
  expect_fused(b.mul(b.mul(b.scalar(0.5f), x), gate), Unary::kGeluTanh);
}
// FastGELU: x * 0.797885 * (1 + 0.044715 x x)
TEST_F(FuseActivation, GeluTanhFactored) {
  const ValueId inner = b.mul(b.mul(x, b.scalar(0.7978845608f)), b.add(b.scalar(1), b.mul(b.mul(x, b.scalar(0.044715f)), x)));
  expect_fused(b.mul(b.mul(x, b.scalar(0.5f)), b.add(b.unary(Unary::kTanh, inner), b.scalar(1))), Unary::kGeluTanh);
}
TEST_F(FuseActivation, Silu) { expect_fused(b.mul(x, b.unary(Unary::kSigmoid, x)), Unary::kSilu); }
TEST_F(FuseActivation, QuickGelu) {
  expect_fused(b.mul(x, b.unary(Unary::kSigmoid, b.mul(x, b.scalar(1.702f)))), Unary::kQuickGelu);
}
TEST_F(FuseActivation, Mish) { expect_fused(b.mul(x, b.unary(Unary::kTanh, b.unary(Unary::kSoftplus, x))), Unary::kMish); }
// x * clip(x / 6 + 0.5, 0, 1): HardSigmoid with its own slope is written so by the importer.
TEST_F(FuseActivation, HardSwish) {
  const ValueId line = b.add(b.mul(x, b.scalar(1.0f / 6)), b.scalar(0.5f));
  const ValueId low = b.node(OpKind::kBinary, {b.max(line, b.scalar(0)), b.scalar(1)}, BinaryAttrs{binary::kMin});
  expect_fused(b.mul(x, low), Unary::kHardSwish);
}
TEST_F(FuseActivation, HardSwishOfRelu6) {
  const ValueId shifted = b.max(b.add(x, b.scalar(3)), b.scalar(0));
  const ValueId six = b.node(OpKind::kBinary, {shifted, b.scalar(6)}, BinaryAttrs{binary::kMin});
  expect_fused(b.div(b.mul(x, six), b.scalar(6)), Unary::kHardSwish);
}
// Clip(x, 0, 6) was two passes over a map.
TEST_F(FuseActivation, Relu6) {
  expect_fused(b.node(OpKind::kBinary, {b.max(x, b.scalar(0)), b.scalar(6)}, BinaryAttrs{binary::kMin}), Unary::kRelu6);
}
// Between -6 and 6 the two are the same: an addition of 0 and a ReLU were once taken for a ReLU6.
TEST_F(FuseActivation, ReluIsNotRelu6) { expect_untouched(b.max(b.add(x, b.scalar(0)), b.scalar(0))); }

TEST_F(FuseActivation, BehindAnAddition) {
  x = b.add(x, b.weights({8}));
  b.output(b.mul(b.mul(x, erf_plus_1()), b.scalar(0.5f)));
  EXPECT_EQ(apply(b.g, {pass_fuse_activation}, 2e-4f), 1);
  EXPECT_EQ(only(b.g, OpKind::kUnary).as<UnaryAttrs>().kind, static_cast<int>(Unary::kGeluErf));
}

TEST_F(FuseActivation, TwoInARow) {
  const ValueId first = b.mul(x, b.unary(Unary::kSigmoid, x));
  b.output(b.mul(first, b.unary(Unary::kSigmoid, first)));
  EXPECT_EQ(apply(b.g, {pass_fuse_activation}, 2e-4f), 2);
}

// Almost GELU is not GELU.
TEST_F(FuseActivation, WrongConstantStays) {
  expect_untouched(b.mul(b.mul(x, b.add(b.unary(Unary::kErf, b.div(x, b.scalar(1.5f))), b.scalar(1))), b.scalar(0.5f)));
}
TEST_F(FuseActivation, TwoInputsStay) {
  const ValueId other = b.input("other", {DimExpr::symbol("batch"), 8});
  expect_untouched(b.mul(other, b.unary(Unary::kSigmoid, x)));
}
TEST_F(FuseActivation, VectorConstantStays) { expect_untouched(b.mul(x, b.unary(Unary::kSigmoid, b.mul(x, b.weights({8}, 1))))); }

// Clamps outside the usual sample range were once dropped: HF models clamp at 64504, ReLU6-like chains at 10.
TEST_F(FuseActivation, ClampBeyondTheSampledRangeStays) {
  for (float limit : {7.0f, 10.0f, 64504.0f}) {
    GraphBuilder c;
    const ValueId v = c.input("x", {DimExpr::symbol("batch"), 8});
    const ValueId gelu = c.mul(c.mul(v, c.scalar(0.5f)), c.add(c.unary(Unary::kErf, c.div(v, c.scalar(kRoot2))), c.scalar(1)));
    const ValueId low = c.node(OpKind::kBinary, {gelu, c.scalar(limit)}, BinaryAttrs{binary::kMin});
    c.output(c.max(low, c.scalar(-limit)));
    apply(c.g, {pass_fuse_activation}, 2e-4f);
    EXPECT_EQ(count(c.g, OpKind::kBinary), 2) << limit << c.g.dump();
  }
}

}  // namespace

}  // namespace edgeconv::testing
