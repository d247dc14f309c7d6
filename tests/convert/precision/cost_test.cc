// Work and bytes of a plan, and when it fits a budget.
#include "convert/precision/cost.h"

#include <gtest/gtest.h>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

PrecisionPlan plan_of(const std::vector<Precision>& precisions) {
  PrecisionPlan plan;
  for (size_t i = 0; i < precisions.size(); ++i) plan.set(static_cast<NodeId>(i), precisions[i]);
  return plan;
}

TEST(Slowdown, CountsMultiplicationsByTheirPrecision) {
  auto layers = some_layers(3);
  layers[2].n = 16;  // twice as many
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8, linear::kInt8, linear::kInt8})), 1);
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8A16, linear::kF32, linear::kInt8})), (2 + 4 + 2) / 4.0);
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8, linear::kInt8, linear::kF32})), (1 + 1 + 8) / 4.0);
  EXPECT_DOUBLE_EQ(slowdown(layers, {}), kF32Work) << "what no plan speaks of is fp32";
  EXPECT_DOUBLE_EQ(slowdown({}, {}), 1);
}

TEST(PlanCost, WithoutABudgetEverythingFitsAndNoBytesAreAsked) {
  const auto layers = some_layers(2);
  const PlanCost cost(layers, {}, [](const PrecisionPlan&) -> uint64_t { throw std::logic_error("must not be called"); });
  EXPECT_TRUE(cost.fits({}));
  EXPECT_EQ(cost.bytes({}), 0u);
}

TEST(PlanCost, BothLimitsHoldAndExceededWorkAsksForNoBytes) {
  const auto layers = some_layers(2);
  int asked = 0;
  const PlanCost cost(layers, {1.5, 100}, [&](const PrecisionPlan& plan) -> uint64_t {
    ++asked;
    return plan.int8_tables ? 100 : 101;
  });
  PrecisionPlan plan = plan_of({linear::kInt8, linear::kInt8A16});
  EXPECT_TRUE(cost.fits(plan)) << "a limit may be reached";
  plan.int8_tables = false;
  EXPECT_FALSE(cost.fits(plan));
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(cost.fits(plan_of({linear::kInt8A16, linear::kInt8A16})));
  EXPECT_EQ(asked, 2) << "they take a lowering";
}

}  // namespace

}  // namespace edgeconv::testing
