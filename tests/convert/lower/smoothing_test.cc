// Smoothing factors reach the ops of the layers that the plan smooths, and no others.
#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "convert/lower/lower.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

TEST(LowerSmoothing, IsDroppedForFp32AndWhereThePlanDoesWithout) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("rows"), 2});
  for (int i = 0; i < 4; ++i) b.output(b.node(OpKind::kLinear, {x, b.weights({2, 3}), kNone}, LinearAttrs{}));
  finish(b.g);
  LowerOptions o = lower_options(plan_dims(b.g, {}));
  o.plan = int8_plan(b.g);
  const auto layers = o.plan.layers();
  ASSERT_EQ(layers.size(), 4u);
  const LayerPlan plans[] = {{linear::kInt8, true}, {linear::kInt8A16, true}, {linear::kF32, true}, {linear::kInt8, false}};
  SmoothingFactors factors;
  for (size_t i = 0; i < 4; ++i) {
    o.plan.set(layers[i].first, plans[i]);
    factors[layers[i].first] = {4, 8};
  }
  o.smoothing = &factors;
  Diagnostics d;
  const TargetProgram p = lower(b.g, o, d);
  d.check();
  size_t seen = 0;
  for (const TargetOp& op : p.ops) {
    if (op.code != ert::params::OpCode::kLinear) continue;
    const LayerPlan& plan = plans[seen++];
    EXPECT_EQ(op.ints[0], plan.precision);
    ASSERT_EQ(op.inputs.size(), static_cast<size_t>(linear::kInputCount));
    EXPECT_EQ(op.inputs[linear::kInvSmooth] >= 0, plan.smoothed && plan.precision != linear::kF32) << seen;
  }
  EXPECT_EQ(seen, 4u);
}

}  // namespace

}  // namespace edgeconv::testing
