// The whole search over two functions of a plan: what it measures, and when a choice is confirmed, made again, or given up.
#include "convert/precision/search.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr int kLayers = 24, kAllOfThem = kLayers + 1;  // then nothing is ever confirmed

// A lift that nothing suffices for, over every strategy.
TEST(Search, MeasuresNoPlanTwice) {
  const auto layers = some_layers(12);
  std::vector<double> loss(12, 2e-4);
  for (const bool measured : {false, true})
    for (const double budget : {0.0, 1.3}) {
      std::map<std::string, int> times;
      SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) {
        ++times[p.str()];
        return added_loss(loss, p) + 1e-4;
      });
      problem.max_loss = 3e-4;
      problem.measured = measured;
      problem.cost = PlanCost(layers, {budget, 0});
      const Choice c = search(problem);
      EXPECT_EQ(c.shortfall.has_value(), budget > 0);
      EXPECT_GT(c.trials.size(), times.size()) << "strategies do come back to plans";
      for (const auto& [plan, n] : times) EXPECT_EQ(n, 1) << plan;
    }
}

TEST(Search, ListsWhatItTriedInItsOrder) {
  const auto layers = some_layers(16);
  std::vector<PrecisionPlan> asked;
  const Choice c = search(problem_of(layers, [&](const PrecisionPlan& p) {
    asked.push_back(p);
    return p.of(1).precision == linear::kInt8 ? 0.01 : 0.0001;
  }));
  ASSERT_GE(c.trials.size(), asked.size());
  EXPECT_EQ(c.trials.front().plan, asked.front());
  EXPECT_EQ(c.trials.front().plan.count(linear::kInt8), 16);
  EXPECT_DOUBLE_EQ(c.trials.front().worst_cosine(), 0.99);
  std::set<std::string> seen;
  size_t first = 0;
  for (const Trial& t : c.trials) {
    EXPECT_DOUBLE_EQ(t.slowdown, slowdown(layers, t.plan));
    const bool measured = seen.insert(t.plan.str()).second;
    EXPECT_TRUE(!measured || t.plan == asked.at(first)) << t.plan.str();
    first += measured;
  }
  EXPECT_EQ(first, asked.size());
}

TEST(Search, AGateOfTheUsersDescends) {
  const auto layers = some_layers(16);
  // Only the quietest layer is at fault, which a climb comes to last.
  SearchProblem problem =
      problem_of(layers, [](const PrecisionPlan& p) { return p.of(15).precision == linear::kInt8 ? 0.01 : 0; });
  problem.measured = true;
  const Choice c = search(problem);
  EXPECT_EQ(c.plan.of(15).precision, linear::kInt8A16);
  EXPECT_EQ(c.plan.count(linear::kInt8), 15);
}

// The validation set sees no error. Of the held-out rows each draw finds one more layer that int8 is too little for.
struct Rows {
  explicit Rows(int layers_at_fault) : at_fault(layers_at_fault) {}
  static bool passes(const PrecisionPlan& p, int layers) {
    for (NodeId id = 0; id < layers; ++id)
      if (p.of(id).precision == linear::kInt8) return false;
    return true;
  }
  double loss(const PrecisionPlan& p) {
    if (passes(p, found)) return 0.0002;
    failed.push_back(p.str());
    return 0.05;
  }
  bool confirms(const PrecisionPlan& p) {
    ++confirmations;
    if (at_fault != kAllOfThem && passes(p, at_fault)) return true;
    if (found < kLayers) ++found;
    return false;
  }
  const int at_fault;
  int found = 0, confirmations = 0;
  std::vector<std::string> failed;
};

Choice choose(Rows& rows, Budget budget = {}) {
  static const std::vector<LayerSensitivity> layers = some_layers(kLayers);
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return rows.loss(p); });
  problem.cost = PlanCost(layers, budget);
  problem.measured = true;
  return search(problem, [&](const PrecisionPlan& p) { return rows.confirms(p); });
}

TEST(ConfirmedSearch, TakesWhatIsConfirmed) {
  Rows rows(0);
  const Choice c = choose(rows);
  EXPECT_EQ(c.plan.count(linear::kInt8), kLayers);
  EXPECT_EQ(rows.confirmations, 1);
  EXPECT_EQ(c.trials.size(), 1u);
}

TEST(ConfirmedSearch, SearchesAgainOverTheRowsThatFailed) {
  Rows rows(2);
  const Choice c = choose(rows);
  EXPECT_EQ(rows.confirmations, 3);
  for (NodeId id = 0; id < 2; ++id) EXPECT_NE(c.plan.of(id).precision, linear::kInt8) << id;
  EXPECT_GT(c.plan.count(linear::kInt8), 0);
  EXPECT_GT(c.trials.front().loss, loss_of(kTargetCosine)) << "of the last search only, that began with all in int8";
  EXPECT_LE(c.trials.back().loss, loss_of(kTargetCosine));
}

// Every choice failed on rows that it did not see: the next one would, too.
TEST(ConfirmedSearch, AfterTenSearchesEverythingIsExact) {
  Rows rows(kAllOfThem);
  const Choice c = choose(rows);
  EXPECT_EQ(kSearches, 10);
  EXPECT_EQ(rows.confirmations, kSearches);
  EXPECT_EQ(c.plan.count(linear::kF32), kLayers);
  EXPECT_FALSE(c.plan.int8_attention);
  EXPECT_FALSE(c.plan.int8_tables);
  EXPECT_FALSE(c.shortfall);
  for (const Trial& t : c.trials) EXPECT_GT(t.loss, loss_of(kTargetCosine)) << "what passed did so by luck";
  EXPECT_FALSE(c.trials.empty());
}

// The ninth choice is the first that is confirmed: not everything is exact then.
TEST(ConfirmedSearch, TakesALateChoice) {
  Rows rows(8);
  const Choice c = choose(rows);
  EXPECT_EQ(rows.confirmations, 9);
  EXPECT_GT(c.plan.count(linear::kInt8), 0);
  EXPECT_EQ(c.plan.count(linear::kF32), 0);
}

// The budget holds there, too: as much as fits is exact.
TEST(ConfirmedSearch, WithinABudgetWhatFitsIsExact) {
  Rows rows(kAllOfThem);
  const Choice c = choose(rows, {2.5, 0});
  ASSERT_TRUE(c.shortfall);
  EXPECT_LE(slowdown(some_layers(kLayers), c.plan), 2.5);
  EXPECT_LE(c.shortfall->reached.slowdown, 2.5);
}

// A search that starts again goes past the same plans: what failed on fewer rows fails on more.
TEST(ConfirmedSearch, WhatFailedIsNotMeasuredAgain) {
  Rows rows(kAllOfThem);
  choose(rows);
  EXPECT_EQ(rows.confirmations, kSearches);
  ASSERT_GT(rows.failed.size(), 3u);
  EXPECT_EQ(std::set<std::string>(rows.failed.begin(), rows.failed.end()).size(), rows.failed.size());
}

// The order of the layers does not change with the rows: a network of 68 convolutions was measured layer by layer in each of ten searches.
TEST(ConfirmedSearch, EffectsAreMeasuredOnce) {
  const auto layers = some_layers(kLayers);
  std::map<std::string, int> measured;
  SearchProblem problem = problem_of(layers, [](const PrecisionPlan& p) { return p.count(linear::kInt8) > 1 ? 0.5 : 0.0; });
  problem.effect = [&](const PrecisionPlan& p) { return ++measured[p.str()], 1e-4; };
  problem.measured = true;
  int confirmations = 0;
  search(problem, [&](const PrecisionPlan&) { return ++confirmations == 4; });
  EXPECT_EQ(confirmations, 4);
  EXPECT_GE(measured.size(), static_cast<size_t>(kLayers));
  for (const auto& [plan, times] : measured) EXPECT_EQ(times, 1) << plan;
}

// What misses the gate is not confirmed: it fails anyhow.
TEST(ConfirmedSearch, OnlyWhatPassesIsConfirmed) {
  const auto layers = some_layers(4);
  const Choice c = search(problem_of(layers, [](const PrecisionPlan&) { return 0.5; }),
                          [](const PrecisionPlan&) -> bool { throw std::logic_error("must not be called"); });
  EXPECT_EQ(c.plan.count(linear::kF32), 4);
}

}  // namespace

}  // namespace edgeconv::testing
