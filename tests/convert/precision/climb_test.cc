// The climb from int8 to the gate, with made-up losses.
#include "convert/precision/climb.h"

#include <gtest/gtest.h>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr double kGood = 1e-4, kBad = 1e-2;

TEST(Climb, StaysAtInt8WhenGood) {
  const auto layers = some_layers(10);
  int evaluations = 0;
  const PrecisionPlan plan = climb(problem_of(layers, [&](const PrecisionPlan&) { return ++evaluations, 0.0005; }));
  EXPECT_EQ(evaluations, 1);
  EXPECT_EQ(plan.count(linear::kInt8), 10);
  EXPECT_TRUE(plan.int8_attention && plan.int8_tables);
}

// Good as soon as the three worst layers have 16-bit activations: the worst are lifted, the best stay.
TEST(Climb, LiftsTheWorstFirst) {
  const auto layers = some_layers(16);
  const PrecisionPlan plan = climb(problem_of(layers, [](const PrecisionPlan& p) {
    bool lifted = true;
    for (NodeId id = 0; id < 3; ++id) lifted &= p.of(id).precision != linear::kInt8;
    return lifted ? kGood : kBad;
  }));
  for (NodeId id = 0; id < 3; ++id) EXPECT_EQ(plan.of(id).precision, linear::kInt8A16) << id;
  EXPECT_EQ(plan.of(15).precision, linear::kInt8);
  EXPECT_EQ(plan.count(linear::kF32), 0);
}

// Any one lifted layer is enough: of the three noisiest only the small one stays lifted.
TEST(Climb, LiftsTheCheapestThatSuffices) {
  auto layers = some_layers(24);
  for (NodeId id = 0; id < 2; ++id) layers[static_cast<size_t>(id)].n = 64;
  const PrecisionPlan plan =
      climb(problem_of(layers, [](const PrecisionPlan& p) { return p.count(linear::kInt8A16) >= 1 ? kGood : kBad; }));
  EXPECT_EQ(plan.of(2).precision, linear::kInt8A16);
  EXPECT_EQ(plan.count(linear::kInt8), 23);
}

// Only the large layer helps, which the search by noise per multiplication does not find: the others are taken back.
TEST(Climb, TakesBackWhatIsNotNeeded) {
  auto layers = some_layers(24);
  layers[0].n = 64;
  const PrecisionPlan plan =
      climb(problem_of(layers, [](const PrecisionPlan& p) { return p.of(0).precision == linear::kInt8A16 ? kGood : kBad; }));
  EXPECT_EQ(plan.of(0).precision, linear::kInt8A16);
  EXPECT_EQ(plan.count(linear::kInt8A16), 1);
}

// Only one of the layers that the last step reaches is at fault: what the steps before it lifted in vain goes back.
TEST(Climb, TakesBackStepsThatDidNotSuffice) {
  const auto layers = some_layers(10);
  int evaluations = 0;
  const PrecisionPlan plan = climb(problem_of(layers, [&](const PrecisionPlan& p) {
    ++evaluations;
    return p.of(8).precision == linear::kInt8A16 ? kGood : kBad;
  }));
  EXPECT_EQ(plan.of(8).precision, linear::kInt8A16);
  EXPECT_EQ(plan.count(linear::kInt8A16), 1);
  EXPECT_LE(evaluations, 9);
}

// Of the first steps one is needed beside what the last one found.
TEST(Climb, KeepsTheStepsThatAreNeeded) {
  const auto layers = some_layers(10);
  const PrecisionPlan plan = climb(problem_of(layers, [&](const PrecisionPlan& p) {
    return p.of(2).precision == linear::kInt8A16 && p.of(8).precision == linear::kInt8A16 ? kGood : kBad;
  }));
  for (NodeId id : {1, 2, 8}) EXPECT_EQ(plan.of(id).precision, linear::kInt8A16) << id;
  EXPECT_EQ(plan.count(linear::kInt8A16), 3) << "layers 1 and 2 are one step";
}

// Every trial lowers and runs the whole model: what is expensive to run has fewer of them.
TEST(Climb, KeepsToItsTrials) {
  const auto layers = some_layers(64);
  const auto evaluations_with = [&](int trials) {
    int evaluations = 0;
    SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) {
      ++evaluations;
      return p.count(linear::kInt8A16) >= 20 ? kGood : kBad;
    });
    problem.trials = trials;
    EXPECT_LE(problem.loss(climb(problem)), problem.max_loss);
    return evaluations;
  };
  EXPECT_LT(evaluations_with(4), 20);
  EXPECT_GT(evaluations_with(kMostTrials), 30);
}

TEST(Climb, OverridesAreKept) {
  const auto layers = some_layers(6);
  PrecisionRequest request;
  request.overrides = {{"/layer2/*", PrecisionMode::kFp32}, {"/layer3/*", PrecisionMode::kInt8}};
  const PrecisionPlan plan = climb(problem_of(
      layers, [](const PrecisionPlan&) { return 0.5; }, request));
  EXPECT_EQ(plan.of(3).precision, linear::kInt8) << "a layer fixed by the user does not climb";
  EXPECT_EQ(plan.count(linear::kF32), 5);
  const PrecisionPlan good = climb(problem_of(
      layers, [](const PrecisionPlan&) { return 0.0; }, request));
  EXPECT_EQ(good.of(2).precision, linear::kF32);
  EXPECT_EQ(good.count(linear::kInt8), 5);
}

// What is smoothed stays so on every way up and down.
TEST(Climb, LeavesSmoothingAsItIs) {
  auto layers = some_layers(16);
  layers[1].smoothed = layers[9].smoothed = true;
  const PrecisionPlan plan =
      climb(problem_of(layers, [](const PrecisionPlan& p) { return p.of(1).precision == linear::kInt8A16 ? kGood : kBad; }));
  for (const auto& [id, how] : plan.layers()) EXPECT_EQ(how.smoothed, id == 1 || id == 9) << id;
}

}  // namespace

}  // namespace edgeconv::testing
