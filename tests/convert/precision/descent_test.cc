// The descent by measured losses, with made-up ones that add up.
#include "convert/precision/descent.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "convert/precision/climb.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

// Each layer its own amount: the true loss of a layer has little to do with its local noise.
std::vector<double> uneven_losses(size_t n) {
  std::vector<double> loss;
  for (size_t i = 0; i < n; ++i) loss.push_back(1e-5 * static_cast<double>(1 + i * 7 % 11));
  return loss;
}

// The least work that reaches the gate with int8 and 16-bit activations, all layers being equally large: int8 for those that lose least.
double least_slowdown(std::vector<double> loss, double max_loss) {
  std::sort(loss.begin(), loss.end());
  double all = 0;
  for (double l : loss) all += 0.1 * l;
  size_t down = 0;
  while (down < loss.size() && all + 0.9 * loss[down] <= max_loss) all += 0.9 * loss[down++];
  return 2 - static_cast<double>(down) / static_cast<double>(loss.size());
}

TEST(Descent, FindsTheLeastWork) {
  constexpr size_t kLayers = 40;
  const std::vector<double> loss = uneven_losses(kLayers);
  const auto layers = some_layers(kLayers);
  for (const double max_loss : {0.0015, 0.0010, 0.0005, 0.00028}) {
    int evaluations = 0;
    SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return ++evaluations, added_loss(loss, p); });
    problem.max_loss = max_loss;
    const PrecisionPlan plan = descend(problem);
    EXPECT_LE(evaluations, 120) << "every one converts and compares the whole model";
    EXPECT_LE(added_loss(loss, plan), max_loss);
    EXPECT_EQ(plan.layers().size(), kLayers);
    EXPECT_DOUBLE_EQ(slowdown(layers, plan), least_slowdown(loss, max_loss)) << max_loss;
    EXPECT_LE(slowdown(layers, plan), slowdown(layers, climb(problem))) << max_loss;
  }
}

// Where 16-bit activations do not suffice, fp32 stays only where it is needed.
TEST(Descent, FromFp32) {
  constexpr size_t kLayers = 12;
  const std::vector<double> loss = uneven_losses(kLayers);
  const auto layers = some_layers(kLayers);
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  problem.max_loss = 0.00002;
  const PrecisionPlan plan = descend(problem);
  EXPECT_LE(added_loss(loss, plan), problem.max_loss);
  EXPECT_GT(plan.count(linear::kInt8A16), 2);
  EXPECT_GT(plan.count(linear::kF32), 2);
}

// Rows so short that 12 bits are quickest, and a gate that 16-bit activations miss: of a gate of the user's each layer is measured, of the usual one few plans are.
TEST(Descent, FewTrialsToTwelveBitsButForGatesOfTheUser) {
  constexpr size_t kLayers = 16;
  auto layers = some_layers(kLayers);
  for (LayerSensitivity& l : layers) l.k = l.n = 48;
  const std::vector<double> loss = uneven_losses(kLayers);
  int evaluations = 0;
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return ++evaluations, added_loss(loss, p); });
  problem.max_loss = 0.00002;
  problem.measured = true;
  const PrecisionPlan few = descend(problem);
  EXPECT_LE(evaluations, 12);
  EXPECT_GE(few.count(linear::kW12A13), 12);
  EXPECT_LE(added_loss(loss, few), problem.max_loss);
  evaluations = 0;
  problem.users_gate = true;
  const PrecisionPlan measured = descend(problem);
  EXPECT_GT(evaluations, static_cast<int>(kLayers));
  EXPECT_EQ(measured.count(linear::kW12A13), 0);
  EXPECT_GT(measured.count(linear::kInt8A16), 2);
}

// Rows so long that 16-bit activations are as quick as 12 bits, but miss the gate in all layers but few: 12 bits then, not fp32.
TEST(Descent, TwelveBitsWhereMeasuredLayersStayFp32) {
  constexpr int kLayers = 16;
  auto layers = some_layers(kLayers);
  for (LayerSensitivity& l : layers) l.k = l.n = 1536;
  const std::vector<double> loss = uneven_losses(kLayers);
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  problem.max_loss = 0.000003;
  problem.measured = true;
  const PrecisionPlan plan = descend(problem);
  EXPECT_EQ(plan.count(linear::kF32), 0);
  EXPECT_GE(plan.count(linear::kW12A13), kLayers - 1);
  EXPECT_LE(added_loss(loss, plan), problem.max_loss);
  problem.users_gate = true;
  EXPECT_EQ(descend(problem).count(linear::kW12A13), 0);
}

TEST(Descent, StaysAtInt8WhenGood) {
  const auto layers = some_layers(10);
  int evaluations = 0;
  const PrecisionPlan plan = descend(problem_of(layers, [&](const PrecisionPlan&) { return ++evaluations, 0.0005; }));
  EXPECT_EQ(evaluations, 1);
  EXPECT_EQ(plan.count(linear::kInt8), 10);
}

// Equal noise and equal size: only the order of the layers is left to decide.
TEST(Strategies, DecisionsAreDeterministic) {
  auto layers = some_layers(24);
  for (LayerSensitivity& l : layers) l.local_sqnr_db = 20;
  for (const auto strategy : {climb, descend}) {
    std::vector<PrecisionPlan> first;
    for (int run = 0; run < 3; ++run) {
      std::vector<PrecisionPlan> tried;
      SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) {
        tried.push_back(p);
        return added_loss(uneven_losses(24), p);
      });
      problem.max_loss = 0.0007;
      tried.push_back(strategy(problem));
      if (run == 0) first = tried;
      EXPECT_EQ(tried, first);
      EXPECT_GT(tried.size(), 3u);
    }
  }
}

}  // namespace

}  // namespace edgeconv::testing
