// Attention and tables in the search for precisions: they have no layers of their own, and become exact where that spares Linears.
#include "convert/precision/exact_parts.h"

#include <gtest/gtest.h>

#include "convert/precision/search.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr double kExact = 1e-4, kInexact = 1e-2;

class ExactPartsTest : public ::testing::Test {
 protected:
  void choose(const std::function<double(const PrecisionPlan&)>& loss) {
    SearchProblem problem = problem_of(layers, loss, request);
    problem.measured = measured;
    problem.has_attention = has_attention;
    problem.has_tables = has_tables;
    const Choice choice = search(problem);
    plan = choice.plan;
    trials = choice.trials.size();
  }
  const std::vector<LayerSensitivity> layers = some_layers(16);
  bool has_attention = true, has_tables = true;
  PrecisionRequest request;
  bool measured = false;
  PrecisionPlan plan;
  size_t trials = 0;
};

TEST_F(ExactPartsTest, AttentionBeforeTables) {
  choose([](const PrecisionPlan& p) { return p.int8_attention ? kInexact : kExact; });
  EXPECT_FALSE(plan.int8_attention);
  EXPECT_TRUE(plan.int8_tables);
  EXPECT_EQ(plan.count(linear::kInt8), 16);
}

// They ended in fp32, all of them, because the climb looked at tables last.
TEST_F(ExactPartsTest, LinearsComeDownAgainBehindExactTables) {
  choose([](const PrecisionPlan& p) { return p.int8_tables ? kInexact : kExact; });
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables);
  EXPECT_EQ(plan.count(linear::kInt8), 16);
  EXPECT_LT(trials, 12u);
}

// MiniLM's table became fp32 at --max-loss 0.0004: 59 MB instead of 35.
TEST_F(ExactPartsTest, TablesOfSixteenBitsComeBeforeFp32) {
  choose([](const PrecisionPlan& p) { return p.int8_tables ? kInexact : kExact; });
  EXPECT_TRUE(plan.int16_tables);
  choose([](const PrecisionPlan& p) { return p.int8_tables || p.int16_tables ? kInexact : kExact; });
  EXPECT_FALSE(plan.int8_tables || plan.int16_tables || plan.int8_attention);
  EXPECT_EQ(plan.count(linear::kInt8), 16);
}

// Here some Linears need 16 bits besides, the noisiest.
TEST_F(ExactPartsTest, LinearsClimbBehindExactTables) {
  choose([](const PrecisionPlan& p) { return !p.int8_tables && p.of(0).precision != linear::kInt8 ? kExact : kInexact; });
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables);
  EXPECT_EQ(plan.of(0).precision, linear::kInt8A16);
  EXPECT_EQ(plan.count(linear::kInt8), 15);
}

// 8-bit weights of one layer are at fault, and both parts: the others come down to int8.
TEST_F(ExactPartsTest, OneLayerInFp32BesideBoth) {
  choose([](const PrecisionPlan& p) {
    return !p.int8_tables && !p.int8_attention && p.of(1).precision == linear::kF32 ? kExact : kInexact;
  });
  EXPECT_FALSE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables);
  EXPECT_EQ(plan.count(linear::kF32), 1);
  EXPECT_EQ(plan.count(linear::kInt8), 15);
}

// fp32 Linears make up for 8-bit tables, but twelve of them are more work than exact tables and one.
TEST_F(ExactPartsTest, WhateverLeavesTheLeastWork) {
  choose([](const PrecisionPlan& p) { return p.count(linear::kF32) >= (p.int8_tables ? 12 : 1) ? kExact : kInexact; });
  EXPECT_FALSE(plan.int8_tables);
  EXPECT_EQ(plan.count(linear::kF32), 1);
}

// Networks of convolutions measured the same blob five times on every step.
TEST_F(ExactPartsTest, WhatAModelDoesNotHaveIsNotTried) {
  has_attention = has_tables = false;
  size_t tried = 0;
  choose([&](const PrecisionPlan& p) {
    ++tried;
    EXPECT_TRUE(p.int8_attention && p.int8_tables);
    return 0.5;
  });
  EXPECT_TRUE(plan.int8_attention && plan.int8_tables);
  const size_t without = tried;
  has_tables = true;
  tried = 0;
  choose([&](const PrecisionPlan& p) { return ++tried, p.int8_tables || p.int16_tables ? kInexact : kExact; });
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables || plan.int16_tables) << "fp32 is still the last rung";
  EXPECT_LT(without, 10u);
}

TEST_F(ExactPartsTest, NothingIsExactThatDoesNotHelp) {
  choose([](const PrecisionPlan&) { return 0.5; });
  EXPECT_EQ(plan.count(linear::kF32), 16);
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_TRUE(plan.int8_tables);
}

// No gate in reach, for the user keeps the layers in int8: tables do help, attention does not.
TEST_F(ExactPartsTest, WhatHelpsIsExactWithoutAGateInReach) {
  request.overrides = {{"*", PrecisionMode::kInt8}};
  choose([](const PrecisionPlan& p) { return p.int8_tables ? 0.1 : p.int8_attention ? 0.02 : 0.0199; });
  EXPECT_EQ(plan.count(linear::kInt8), 16);
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables);
}

// A pattern is about layers, even one that means all of them: attention and tables stay automatic, int8 unless the gate needs more.
TEST_F(ExactPartsTest, PatternForAllLayersLeavesThemAutomatic) {
  request.overrides = {{"*", PrecisionMode::kFp32}};
  choose([](const PrecisionPlan&) { return kExact; });
  EXPECT_TRUE(plan.int8_attention && plan.int8_tables);
  EXPECT_EQ(trials, 1u);
  choose([](const PrecisionPlan& p) { return p.int8_attention ? kInexact : kExact; });
  EXPECT_FALSE(plan.int8_attention);
  EXPECT_TRUE(plan.int8_tables);
  EXPECT_EQ(plan.count(linear::kF32), 16);
}

TEST_F(ExactPartsTest, MeasuredDescentBehindExactTables) {
  measured = true;
  choose([](const PrecisionPlan& p) { return p.int8_tables ? kInexact : p.of(3).precision == linear::kInt8 ? 0.002 : kExact; });
  EXPECT_TRUE(plan.int8_attention);
  EXPECT_FALSE(plan.int8_tables);
  EXPECT_EQ(plan.of(3).precision, linear::kInt8A16);
  EXPECT_EQ(plan.count(linear::kInt8), 15);
}

}  // namespace

}  // namespace edgeconv::testing
