// Attention and tables in the precision ladder: they have no layers of their own, and become exact where that spares Linears.
#include <gtest/gtest.h>

#include "convert/precision/ladder.h"
#include "tests/convert/precision/ladder_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr double kGood = 0.9999, kBad = 0.99;

class ExactPartsTest : public ::testing::Test {
 protected:
  void choose(const std::function<double(const LowerOptions&)>& evaluate) {
    choose_precision(request, {}, layers, options, evaluate, &trace);
  }
  std::vector<LayerReport> layers = some_layers(16);
  LowerOptions options;
  PrecisionRequest request;
  std::vector<LadderStep> trace;
};

TEST_F(ExactPartsTest, AttentionBeforeTables) {
  choose([](const LowerOptions& o) { return o.plan.int8_attention ? kBad : kGood; });
  EXPECT_FALSE(options.plan.int8_attention);
  EXPECT_TRUE(options.plan.int8_tables);
  EXPECT_EQ(with_precision(options, linear::kInt8), 16);
}

// They ended in fp32, all of them, because the climb looked at tables last.
TEST_F(ExactPartsTest, LinearsComeDownAgainBehindExactTables) {
  choose([](const LowerOptions& o) { return o.plan.int8_tables ? kBad : kGood; });
  EXPECT_TRUE(options.plan.int8_attention);
  EXPECT_FALSE(options.plan.int8_tables);
  EXPECT_EQ(with_precision(options, linear::kInt8), 16);
  EXPECT_LT(trace.size(), 12u);
}

// Here some Linears need 16 bits besides, the noisiest.
TEST_F(ExactPartsTest, LinearsClimbBehindExactTables) {
  choose([](const LowerOptions& o) { return !o.plan.int8_tables && o.plan.of(0).precision != linear::kInt8 ? kGood : kBad; });
  EXPECT_TRUE(options.plan.int8_attention);
  EXPECT_FALSE(options.plan.int8_tables);
  EXPECT_EQ(options.plan.of(0).precision, linear::kInt8A16);
  EXPECT_EQ(with_precision(options, linear::kInt8), 15);
}

// 8-bit weights of one layer are at fault, and both parts: the others come down to int8.
TEST_F(ExactPartsTest, OneLayerInFp32BesideBoth) {
  choose([](const LowerOptions& o) {
    return !o.plan.int8_tables && !o.plan.int8_attention && o.plan.of(1).precision == linear::kF32 ? kGood : kBad;
  });
  EXPECT_FALSE(options.plan.int8_attention);
  EXPECT_FALSE(options.plan.int8_tables);
  EXPECT_EQ(with_precision(options, linear::kF32), 1);
  EXPECT_EQ(with_precision(options, linear::kInt8), 15);
}

// fp32 Linears make up for 8-bit tables, but twelve of them are more work than exact tables and one.
TEST_F(ExactPartsTest, WhateverLeavesTheLeastWork) {
  choose([](const LowerOptions& o) { return with_precision(o, linear::kF32) >= (o.plan.int8_tables ? 12 : 1) ? kGood : kBad; });
  EXPECT_FALSE(options.plan.int8_tables);
  EXPECT_EQ(with_precision(options, linear::kF32), 1);
}

TEST_F(ExactPartsTest, NothingIsExactThatDoesNotHelp) {
  choose([](const LowerOptions&) { return 0.5; });
  EXPECT_EQ(with_precision(options, linear::kF32), 16);
  EXPECT_TRUE(options.plan.int8_attention);
  EXPECT_TRUE(options.plan.int8_tables);
}

// No gate in reach, for the user keeps the layers in int8: tables do help, attention does not.
TEST_F(ExactPartsTest, WhatHelpsIsExactWithoutAGateInReach) {
  request.overrides = {{"*", PrecisionMode::kInt8}};
  choose([](const LowerOptions& o) { return o.plan.int8_tables ? 0.9 : o.plan.int8_attention ? 0.98 : 0.9801; });
  EXPECT_EQ(with_precision(options, linear::kInt8), 16);
  EXPECT_TRUE(options.plan.int8_attention);
  EXPECT_FALSE(options.plan.int8_tables);
}

// A pattern is about layers, even one that means all of them: attention and tables stay automatic, int8 unless the gate needs more.
TEST_F(ExactPartsTest, PatternForAllLayersLeavesThemAutomatic) {
  request.overrides = {{"*", PrecisionMode::kFp32}};
  choose([](const LowerOptions&) { return kGood; });
  EXPECT_TRUE(options.plan.int8_attention && options.plan.int8_tables);
  EXPECT_EQ(trace.size(), 1u);
  choose([](const LowerOptions& o) { return o.plan.int8_attention ? kBad : kGood; });
  EXPECT_FALSE(options.plan.int8_attention);
  EXPECT_TRUE(options.plan.int8_tables);
  EXPECT_EQ(with_precision(options, linear::kF32), 16);
}

TEST_F(ExactPartsTest, MeasuredDescentBehindExactTables) {
  request.measured = true;
  choose([](const LowerOptions& o) {
    return o.plan.int8_tables ? kBad : o.plan.of(3).precision == linear::kInt8 ? 0.998 : kGood;
  });
  EXPECT_TRUE(options.plan.int8_attention);
  EXPECT_FALSE(options.plan.int8_tables);
  EXPECT_EQ(options.plan.of(3).precision, linear::kInt8A16);
  EXPECT_EQ(with_precision(options, linear::kInt8), 15);
}

}  // namespace

}  // namespace edgeconv::testing
