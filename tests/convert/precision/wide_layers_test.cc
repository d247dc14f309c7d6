// What a search left in fp32 gets 12 bits where that is quicker and the outputs do not show it.
#include "convert/precision/wide_layers.h"

#include <gtest/gtest.h>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

std::vector<LayerSensitivity> large_layers(int n) {
  auto layers = some_layers(n);
  for (LayerSensitivity& l : layers) l.k = l.n = 256;
  return layers;
}

PrecisionPlan with(const SearchProblem& problem, Precision p, const std::vector<size_t>& layers) {
  PrecisionPlan plan = problem.asked.plan;
  for (const size_t i : layers) problem.set(plan, i, p);
  return plan;
}

TEST(WideLayers, ThoseInFp32GetTwelveBits) {
  const auto layers = large_layers(3);
  const SearchProblem problem = problem_of(layers, [](const PrecisionPlan&) { return 1e-5; });
  PrecisionPlan wanted = with(problem, linear::kW12A13, {0, 2});
  EXPECT_EQ(with_wide_layers(problem, with(problem, linear::kF32, {0, 2}), 1e-5), wanted);
}

TEST(WideLayers, OnlyWhatTheOutputsHardlyShow) {
  const auto layers = large_layers(2);
  const auto loss = [](const PrecisionPlan& p) { return p.count(linear::kW12A13) == 0 ? 4e-4 : 9e-4; };
  const SearchProblem problem = problem_of(layers, loss);
  const PrecisionPlan plan = with(problem, linear::kF32, {0, 1});
  EXPECT_EQ(with_wide_layers(problem, plan, 4e-4), plan) << "within the gate, and yet more than half of it";
}

TEST(WideLayers, BesideLayersOfEightBitsTheLossHardlyGrows) {
  const auto layers = large_layers(3);
  double wide = 4.3e-4;
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return p.count(linear::kW12A13) == 0 ? 4e-4 : wide; });
  const PrecisionPlan plan = with(problem, linear::kF32, {0, 1});
  EXPECT_EQ(with_wide_layers(problem, plan, 4e-4), with(problem, linear::kW12A13, {0, 1}));
  wide = 4.5e-4;
  EXPECT_EQ(with_wide_layers(problem, plan, 4e-4), plan);
}

TEST(WideLayers, FeaturesForAnotherNetworkLoseNextToNothing) {
  const auto layers = large_layers(2);
  SearchProblem problem = problem_of(layers, [](const PrecisionPlan& p) { return p.count(linear::kW12A13) == 0 ? 1e-6 : 1e-4; });
  const PrecisionPlan plan = with(problem, linear::kF32, {0, 1});
  EXPECT_EQ(with_wide_layers(problem, plan, 1e-6), with(problem, linear::kW12A13, {0, 1}));
  problem.gives_features = true;
  EXPECT_EQ(with_wide_layers(problem, plan, 1e-6), plan);
}

TEST(WideLayers, HalfOfThemThatGainsMostWhereAllAreTooMuch) {
  auto layers = large_layers(4);
  layers[2].rows = 100;
  layers[3].rows = 50;
  const SearchProblem problem =
      problem_of(layers, [](const PrecisionPlan& p) { return p.count(linear::kW12A13) > 2 ? 1e-2 : 1e-5; });
  PrecisionPlan wanted = with(problem, linear::kF32, {0, 1});
  for (const size_t i : {2, 3}) problem.set(wanted, i, linear::kW12A13);
  EXPECT_EQ(with_wide_layers(problem, with(problem, linear::kF32, {0, 1, 2, 3}), 1e-5), wanted);
}

// Quantizing a row of nine values takes as long as its products with sixteen filters.
TEST(WideLayers, ShortRowsDepthwiseAndFixedLayersStay) {
  auto layers = large_layers(3);
  layers[0].k = 9, layers[0].n = 16;
  layers[1].depthwise = true;
  PrecisionRequest request;
  request.overrides.emplace_back("/layer2/dense", PrecisionMode::kFp32);
  int measured = 0;
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan&) { return ++measured, 0.0; }, request);
  const PrecisionPlan plan = with(problem, linear::kF32, {0, 1, 2});
  EXPECT_EQ(with_wide_layers(problem, plan, 0), plan);
  EXPECT_EQ(measured, 0);
}

// Layer 0 is at fault in 12 bits, and any other in 8: bisected, all but the noisiest layer go down.
TEST(WideLayers, FromFp32AsManyAsPass) {
  const auto layers = large_layers(8);
  int measured = 0;
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) {
    ++measured;
    return p.of(0).precision != linear::kF32 || p.count(linear::kInt8) + p.count(linear::kInt8A16) > 0 ? 1e-2 : 1e-5 * p.count(linear::kW12A13);
  });
  EXPECT_EQ(from_fp32(problem, with(problem, linear::kF32, {0, 1, 2, 3, 4, 5, 6, 7})), [&] {
    PrecisionPlan wanted = with(problem, linear::kF32, {0});
    for (size_t i = 1; i < 8; ++i) problem.set(wanted, i, linear::kW12A13);
    return wanted;
  }());
  EXPECT_LE(measured, 12) << "few trials";
}

TEST(WideLayers, FromFp32SomeInt8WithinAQuarterOfTheGate) {
  const auto layers = large_layers(8);
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return 1e-4 + 1e-4 * p.count(linear::kInt8); });
  const auto plan = from_fp32(problem, with(problem, linear::kF32, {0, 1, 2, 3, 4, 5, 6, 7}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->count(linear::kInt8), 2);
  EXPECT_EQ(plan->count(linear::kW12A13), 6);
  EXPECT_EQ(plan->of(7).precision, linear::kInt8) << "the least noisy";
}

// Rows of 64 values are reckoned a little slower in int8, of 48 much.
TEST(WideLayers, FromFp32HalfTheSizeIsWorthALittleTime) {
  for (const int64_t k : {64, 48}) {
    auto layers = large_layers(8);
    for (LayerSensitivity& l : layers) l.k = l.n = k;
    const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return 1e-4 + 1e-4 * p.count(linear::kInt8); });
    const auto plan = from_fp32(problem, with(problem, linear::kF32, {0, 1, 2, 3, 4, 5, 6, 7}));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->count(linear::kInt8), k == 64 ? 2 : 0);
  }
}

TEST(WideLayers, FromFp32NothingWithoutClearGain) {
  const auto layers = large_layers(4);
  SearchProblem problem = problem_of(layers, [](const PrecisionPlan&) { return 1e-5; });
  const PrecisionPlan exact = with(problem, linear::kF32, {0, 1, 2, 3});
  EXPECT_FALSE(from_fp32(problem, with(problem, linear::kF32, {0}))) << "int8 but for one is as quick, and smaller";
  problem.has_wide = false;
  EXPECT_FALSE(from_fp32(problem, exact));
  problem.has_wide = problem.users_gate = true;
  EXPECT_FALSE(from_fp32(problem, exact)) << "a gate of the user's";
  problem.users_gate = false;
  EXPECT_TRUE(from_fp32(problem, exact));
  problem.loss = [](const PrecisionPlan&) { return 1e-2; };
  EXPECT_FALSE(from_fp32(problem, exact)) << "fp32 itself misses the gate";
}

TEST(WideLayers, ShortRowsAreMuchQuickerInTwelveBits) {
  auto layers = large_layers(2);
  const auto none = [](const PrecisionPlan&) { return 0.0; };
  EXPECT_FALSE(is_much_quicker_in_12_bits(problem_of(layers, none)));
  for (LayerSensitivity& l : layers) l.k = l.n = 64;
  EXPECT_TRUE(is_much_quicker_in_12_bits(problem_of(layers, none)));
}

}  // namespace
}  // namespace edgeconv::testing
