// What a request fixes before any search: modes, patterns on names, and patterns that mean nothing.
#include "convert/precision/request.h"

#include <gtest/gtest.h>

#include "convert/ir/diagnostics.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

TEST(AskedPlan, ForcedModesLeaveNothingToChoose) {
  for (const auto& [mode, precision] :
       {std::pair(PrecisionMode::kInt8, linear::kInt8), std::pair(PrecisionMode::kW8A16, linear::kInt8A16),
        std::pair(PrecisionMode::kFp32, linear::kF32)}) {
    PrecisionRequest request;
    request.mode = mode;
    const AskedPlan asked = asked_plan(request, some_layers(4));
    EXPECT_EQ(asked.plan.count(precision), 4);
    EXPECT_EQ(asked.fixed, std::vector<char>(4, 1));
    EXPECT_EQ(asked.plan.int8_attention, mode != PrecisionMode::kFp32);
    EXPECT_EQ(asked.plan.int8_tables, mode != PrecisionMode::kFp32);
  }
}

TEST(AskedPlan, PatternsFixTheLayersThatTheyMean) {
  PrecisionRequest request;
  request.overrides = {{"/layer2/*", PrecisionMode::kFp32}, {"/layer3/*", PrecisionMode::kInt8}};
  const AskedPlan asked = asked_plan(request, some_layers(6));
  EXPECT_EQ(asked.fixed, (std::vector<char>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(asked.plan.of(2).precision, linear::kF32);
  EXPECT_EQ(asked.plan.count(linear::kInt8), 5);
  EXPECT_TRUE(asked_for(request, "/layer3/dense"));
  EXPECT_FALSE(asked_for(request, "/layer4/dense"));
}

TEST(AskedPlan, TheLastPatternCounts) {
  PrecisionRequest request;
  request.mode = PrecisionMode::kW8A16;
  request.overrides = {{"*", PrecisionMode::kFp32}, {"*1*", PrecisionMode::kInt8}};
  const AskedPlan asked = asked_plan(request, some_layers(3));
  EXPECT_EQ(asked.plan.of(0).precision, linear::kF32);
  EXPECT_EQ(asked.plan.of(1).precision, linear::kInt8);
}

TEST(AskedPlan, LayersAreSmoothedWhereThereAreFactors) {
  auto layers = some_layers(3);
  layers[1].smoothed = true;
  const PrecisionPlan plan = asked_plan({}, layers).plan;
  EXPECT_FALSE(plan.of(0).smoothed);
  EXPECT_TRUE(plan.of(1).smoothed);
}

TEST(AskedPlan, APatternWithoutALayerIsRefusedWithTheNames) {
  PrecisionRequest request;
  request.overrides = {{"/layer0/*", PrecisionMode::kInt8}, {"nothing", PrecisionMode::kFp32}};
  try {
    asked_plan(request, some_layers(20));
    FAIL();
  } catch (const FatalError& e) {
    const std::string what = e.what();
    EXPECT_EQ(e.code(), ExitCode::kUsage);
    EXPECT_NE(what.find("'nothing=...' matches no layer"), std::string::npos) << what;
    EXPECT_NE(what.find("/layer11/dense\n  ..."), std::string::npos) << what;
    EXPECT_EQ(what.find("/layer12/"), std::string::npos) << what;
  }
  EXPECT_TRUE(asked_plan(request, {}).plan.layers().empty()) << "a model without layers takes any pattern";
}

TEST(GlobMatch, StarsAndQuestionMarks) {
  for (const auto& [pattern, text] : std::vector<std::pair<const char*, const char*>>{{"", ""},
                                                                                      {"*", ""},
                                                                                      {"*", "abc"},
                                                                                      {"a?c", "abc"},
                                                                                      {"*dense*", "/l/dense/MatMul"},
                                                                                      {"a*b*c", "aXbYbc"},
                                                                                      {"**a", "a"},
                                                                                      {"/enc/*/out", "/enc/layer.0/x/out"}})
    EXPECT_TRUE(glob_match(pattern, text)) << pattern << " " << text;
  for (const auto& [pattern, text] : std::vector<std::pair<const char*, const char*>>{
           {"", "a"}, {"?", ""}, {"a", "ab"}, {"a?c", "ac"}, {"*x", "xy"}, {"a*b*c", "acb"}, {"[ab]", "a"}})
    EXPECT_FALSE(glob_match(pattern, text)) << pattern << " " << text;
}

// Many stars against a long text: must not take exponential time.
TEST(GlobMatch, HostilePattern) {
  std::string pattern, text(5000, 'a');
  for (int i = 0; i < 50; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", text));
  EXPECT_TRUE(glob_match(pattern, text));
}

}  // namespace

}  // namespace edgeconv::testing
