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

}  // namespace
}  // namespace edgeconv::testing
