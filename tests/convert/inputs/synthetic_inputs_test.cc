// Made-up inputs: the same in every run, others for another seed, of the size that a network expects.
#include "convert/inputs/synthetic_inputs.h"

#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

TEST(SyntheticInputs, AreFixedAndFit) {
  GraphBuilder b;
  b.output(b.unary(Unary::kTanh, b.input("x", {DimExpr::symbol("batch"), 8})));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {});
  const auto inputs = synthetic_inputs(b.g, plan, {}), again = synthetic_inputs(b.g, plan, {}),
             other = synthetic_inputs(b.g, plan, {32, 32, false, 2});
  EXPECT_TRUE(inputs[0].same_bytes(again[0]));
  EXPECT_FALSE(inputs[0].same_bytes(other[0]));
  double sum = 0, squares = 0;
  for (float v : inputs[0].to_float()) {
    sum += v;
    squares += double{v} * v;
  }
  const double n = static_cast<double>(inputs[0].elements());
  EXPECT_NEAR(sum / n, 0, 0.1);
  EXPECT_NEAR(squares / n, 1, 0.15);
}

}  // namespace

}  // namespace edgeconv::testing
