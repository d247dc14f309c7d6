// Layers over maps that keep 8 bits for their RAM go back to int8 where the gate allows.
#include "convert/precision/kept_maps.h"

#include <gtest/gtest.h>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

std::vector<LayerSensitivity> over_maps(int n) {
  auto layers = some_layers(n);
  for (LayerSensitivity& l : layers) l.over_maps = l.keeps_map = true;
  return layers;
}

PrecisionPlan with(const SearchProblem& problem, const std::vector<size_t>& exact) {
  PrecisionPlan plan = problem.asked.plan;
  for (const size_t i : exact) problem.set(plan, i, linear::kF32);
  return plan;
}

TEST(KeptMaps, WhatIsNeedlessBesideOtherLiftsGoesBack) {
  auto layers = over_maps(4);
  layers[3].keeps_map = false;  // a classifier, whose lift suffices
  const std::vector<double> loss = {2e-4, 2e-4, 2e-4, 9e-4};
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  EXPECT_EQ(with_kept_maps(problem, with(problem, {0, 1, 3})), with(problem, {3}));
}

TEST(KeptMaps, TheMostExpensiveOnesGoBackFirst) {
  auto layers = over_maps(3);
  layers[1].rows = 100;
  const std::vector<double> loss = {6e-4, 6e-4, 6e-4};
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  EXPECT_EQ(with_kept_maps(problem, with(problem, {0, 1, 2})), with(problem, {0, 2}));
}

TEST(KeptMaps, WhatTheGateNeedsStays) {
  const auto layers = over_maps(2);
  const std::vector<double> loss = {2e-3, 1e-5};
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  EXPECT_EQ(with_kept_maps(problem, with(problem, {0})), with(problem, {0}));
}

// Where maps are there for speed only, floats are no loss.
TEST(KeptMaps, OtherLayersStay) {
  const auto layers = some_layers(2);
  int measured = 0;
  const SearchProblem problem = problem_of(layers, [&](const PrecisionPlan&) { return ++measured, 0.0; });
  EXPECT_EQ(with_kept_maps(problem, with(problem, {0})), with(problem, {0}));
  EXPECT_EQ(measured, 0);
}

}  // namespace
}  // namespace edgeconv::testing
