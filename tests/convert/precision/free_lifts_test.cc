// Small layers in fp32 where they owe most of the error.
#include "convert/precision/free_lifts.h"

#include <gtest/gtest.h>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

// One layer in a thousand of the work, as a first convolution over one channel is.
std::vector<LayerSensitivity> with_a_small_layer(int small) {
  auto layers = some_layers(12);
  for (LayerSensitivity& l : layers) l.k = l.n = 64;
  layers[static_cast<size_t>(small)].k = layers[static_cast<size_t>(small)].n = 6;
  return layers;
}

PrecisionPlan lifted(const SearchProblem& problem) {
  return with_free_lifts(problem, problem.asked.plan, problem.loss(problem.asked.plan));
}

TEST(FreeLifts, ASmallLayerThatErrsMostIsExact) {
  const auto layers = with_a_small_layer(3);
  std::vector<double> loss(12, 2e-5);
  loss[3] = 5e-4;
  const PrecisionPlan plan = lifted(problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); }));
  EXPECT_EQ(plan.of(3).precision, linear::kF32);
  EXPECT_EQ(plan.count(linear::kF32), 1);
}

TEST(FreeLifts, NothingIsLiftedThatDoesNotHalveTheLossOrIsLarge) {
  std::vector<double> loss(12, 5e-5);
  const auto small = with_a_small_layer(3);
  const SearchProblem little = problem_of(small, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  EXPECT_EQ(lifted(little), little.asked.plan);
  loss[3] = 5e-4;
  const auto large = some_layers(12);
  int measured = 0;
  const SearchProblem problem = problem_of(large, [&](const PrecisionPlan& p) { return ++measured, added_loss(loss, p); });
  EXPECT_EQ(lifted(problem), problem.asked.plan);
  EXPECT_EQ(measured, 1) << "without a small layer there is nothing to measure";
}

// A wake word's head had its first layer in fp32, 94 % of the work, and lost .03 of its score by the others in int8.
TEST(FreeLifts, WhereNearlyAllIsExactTheRestIs) {
  auto layers = some_layers(3);
  layers[0].k = layers[0].n = 64;
  const std::vector<double> loss = {9e-4, 3e-4, 3e-4};
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  PrecisionPlan mostly = problem.asked.plan;
  problem.set(mostly, 0, linear::kF32);
  EXPECT_EQ(with_free_lifts(problem, mostly, problem.loss(mostly)).count(linear::kF32), 3);
  EXPECT_EQ(lifted(problem_of(some_layers(3), problem.loss)), problem.asked.plan) << "that would be four times the bytes";
}

// basic-pitch: 36,033 weights in a file of 2.2 MB, outputs at .993 on music, and fp32 is quicker.
TEST(FreeLifts, WeightsThatAreLittleOfTheFileBecomeExact) {
  auto layers = some_layers(3);
  for (LayerSensitivity& l : layers) l.k = 72, l.n = 24;
  const std::vector<double> loss(3, 2e-4);
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  const auto with_file = [&](uint64_t bytes) {
    problem.cost = PlanCost(layers, {}, [=](const PrecisionPlan& p) { return bytes + (p.count(linear::kF32) ? 15'000u : 0u); });
    return lifted(problem).count(linear::kF32);
  };
  EXPECT_EQ(with_file(200'000), 3);
  EXPECT_EQ(with_file(20'000), 0) << "it would become twice as large";
  for (LayerSensitivity& l : layers) l.k = l.n = 288;
  EXPECT_EQ(with_file(20'000'000), 0) << "fp32 takes three times as long";
}

TEST(FreeLifts, WhatNobodySeesStays) {
  const auto layers = with_a_small_layer(3);
  std::vector<double> loss(12, 1e-7);
  loss[3] = 1e-5;
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  EXPECT_EQ(lifted(problem), problem.asked.plan);
}

TEST(FreeLifts, OtherSmallLayersGoBack) {
  auto layers = with_a_small_layer(3);
  layers[7].k = layers[7].n = 5;
  std::vector<double> loss(12, 2e-5);
  loss[3] = 5e-4;
  loss[7] = 1e-7;
  const PrecisionPlan plan = lifted(problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); }));
  EXPECT_EQ(plan.of(3).precision, linear::kF32);
  EXPECT_EQ(plan.of(7).precision, linear::kInt8);
}

TEST(FreeLifts, BudgetsAndOverridesAreKept) {
  const auto layers = with_a_small_layer(3);
  std::vector<double> loss(12, 2e-5);
  loss[3] = 5e-4;
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  problem.cost = PlanCost(layers, {1.0005, 0});
  EXPECT_EQ(lifted(problem), problem.asked.plan);
  PrecisionRequest request;
  request.overrides = {{"/layer3/*", PrecisionMode::kInt8}};
  const SearchProblem asked = problem_of(
      layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); }, request);
  EXPECT_EQ(lifted(asked).of(3).precision, linear::kInt8);
}

}  // namespace

}  // namespace edgeconv::testing
