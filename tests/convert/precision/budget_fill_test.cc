// Budgets of work and bytes, with made-up losses that add up: what fits is taken, what does not makes room for what does.
#include "convert/precision/budget_fill.h"

#include <gtest/gtest.h>

#include "convert/precision/search.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr uint64_t kTableBytes = 1000;

struct Model {
  explicit Model(std::vector<double> l) : loss(std::move(l)), layers(some_layers(static_cast<int>(loss.size()))) {}
  double lost(const PrecisionPlan& p) const { return added_loss(loss, p) + (p.int8_tables ? table_loss : 0); }
  uint64_t bytes(const PrecisionPlan& p) const {
    uint64_t n = p.int8_tables ? kTableBytes : 4 * kTableBytes;
    for (const LayerSensitivity& l : layers)
      n += static_cast<uint64_t>(l.k * l.n) * (p.of(l.node).precision == linear::kF32 ? 4 : 1);
    return n;
  }
  Choice choose(double max_loss, Budget budget, const PrecisionRequest& request = {}) const {
    SearchProblem problem = problem_of(
        layers, [this](const PrecisionPlan& p) { return lost(p); }, request);
    problem.max_loss = max_loss;
    problem.cost = PlanCost(layers, budget, [this](const PrecisionPlan& p) { return bytes(p); });
    return search(problem);
  }
  double work(const Choice& c) const { return slowdown(layers, c.plan); }
  std::vector<double> loss;
  double table_loss = 0;
  std::vector<LayerSensitivity> layers;
};

// Noise ranks the first layers first; the loss is in the last ones.
std::vector<double> losses_at_the_end() {
  std::vector<double> loss(16, 1e-5);
  for (size_t i = 13; i < 16; ++i) loss[i] = 4e-4;
  return loss;
}

// Two layers must be lifted, which a climb reaches in two of its steps: it keeps the one and finds the other.
std::vector<double> losses_of_two() {
  std::vector<double> loss(16, 1e-5);
  loss[3] = loss[15] = 2e-3;
  return loss;
}

TEST(BudgetFill, TakesOtherLayersThatFit) {
  const Model m(losses_of_two());
  ASSERT_GT(m.work(m.choose(0.001, {})), 1.2) << "the usual climb lifts by noise";
  const Choice c = m.choose(0.001, {1.2, 0});
  EXPECT_FALSE(c.shortfall);
  EXPECT_LE(m.work(c), 1.2);
  EXPECT_LE(m.lost(c.plan), 0.001);
  for (NodeId id = 0; id < 15; ++id) EXPECT_EQ(c.plan.of(id).precision == linear::kInt8, id != 3) << id;
}

TEST(BudgetFill, TakesNoMoreThanTheGateNeeds) {
  const Model m(losses_of_two());
  const Choice c = m.choose(0.001, {1.2, 0});
  EXPECT_FALSE(c.shortfall);
  EXPECT_EQ(c.plan.count(linear::kInt8A16), 2);
  EXPECT_EQ(c.plan.count(linear::kF32), 0);
  EXPECT_EQ(c.trials.back().plan, c.plan) << "reports show the choice last";
}

TEST(BudgetFill, ABudgetThatIsKeptAnyhowChangesNothing) {
  const Model m(losses_at_the_end());
  const Choice free = m.choose(0.001, {}), bound = m.choose(0.001, {m.work(free), 1000000});
  EXPECT_EQ(free.plan, bound.plan);
  EXPECT_EQ(free.trials.size(), bound.trials.size());
}

// A large layer that gains most does not fit: smaller ones do.
TEST(BudgetFill, PassesOverWhatDoesNotFit) {
  Model m({3e-3, 6e-4, 6e-4, 1e-6});
  m.layers[0].n = 64;
  const Choice c = m.choose(0.001, {1.3, 0});
  ASSERT_TRUE(c.shortfall);
  EXPECT_TRUE(c.shortfall->gate_reached);
  EXPECT_GT(c.shortfall->needed.slowdown, 1.3);
  EXPECT_LE(c.shortfall->needed.loss, 0.001);
  EXPECT_LE(m.work(c), 1.3);
  EXPECT_EQ(c.shortfall->reached.plan, c.plan);
  EXPECT_DOUBLE_EQ(c.shortfall->reached.loss, m.lost(c.plan));
  EXPECT_EQ(c.plan.of(0).precision, linear::kInt8);
  EXPECT_NE(c.plan.of(1).precision, linear::kInt8);
  EXPECT_NE(c.plan.of(2).precision, linear::kInt8);
  EXPECT_GT(m.lost(c.plan), 0.001);
}

// 16-bit activations cost no bytes: with only bytes limited they come before fp32, which takes what is left.
TEST(BudgetFill, BytesLeaveOnlyAFewLayersInFp32) {
  const Model m(std::vector<double>(10, 1e-3));
  const uint64_t all_int8 = kTableBytes + 10 * 64, most = all_int8 + 3 * 3 * 64;
  const Choice c = m.choose(0.00075, {0, most});
  EXPECT_FALSE(c.shortfall);
  EXPECT_LE(m.bytes(c.plan), most);
  EXPECT_LE(m.lost(c.plan), 0.00075);
  EXPECT_EQ(c.plan.count(linear::kF32), 3);
  const Choice less = m.choose(0.0006, {0, most});
  ASSERT_TRUE(less.shortfall);
  EXPECT_LE(less.shortfall->reached_bytes, most);
  EXPECT_EQ(less.shortfall->reached_bytes, m.bytes(less.plan));
  EXPECT_GT(less.shortfall->needed_bytes, most);
}

// Tables in fp32 take four times their bytes: where these do not fit, they stay.
TEST(BudgetFill, TablesStayWhereTheirBytesDoNotFit) {
  Model m(std::vector<double>(4, 1e-5));
  m.table_loss = 2e-3;
  const Choice free = m.choose(0.001, {});
  EXPECT_FALSE(free.shortfall);
  EXPECT_FALSE(free.plan.int8_tables);
  const Choice c = m.choose(0.001, {0, 3 * kTableBytes});
  ASSERT_TRUE(c.shortfall);
  EXPECT_TRUE(c.plan.int8_tables);
  EXPECT_LE(m.bytes(c.plan), 3 * kTableBytes);
}

TEST(BudgetFill, EverythingIsInt8WhereNothingFits) {
  const Model m(std::vector<double>(4, 1e-3));
  const Choice c = m.choose(0.001, {0, 100});
  ASSERT_TRUE(c.shortfall);
  EXPECT_EQ(c.plan.count(linear::kInt8), 4);
  EXPECT_TRUE(c.plan.int8_attention && c.plan.int8_tables);
  EXPECT_EQ(c.shortfall->reached.loss, kNothingFits);
}

// What the user asked for is part of the work and stays.
TEST(BudgetFill, AskedForPrecisionsStay) {
  const Model m(losses_at_the_end());
  PrecisionRequest request;
  request.overrides = {{"/layer0/*", PrecisionMode::kFp32}};
  const Choice c = m.choose(0.001, {1.4, 0}, request);
  EXPECT_FALSE(c.shortfall);
  EXPECT_EQ(c.plan.of(0).precision, linear::kF32);
  EXPECT_LE(m.work(c), 1.4);
}

// Of many layers only some are measured.
TEST(BudgetFill, MeasuresAtMostTwiceAsManyTimesAsThereAreTrials) {
  const Model m(std::vector<double>(200, 1e-5));
  const Choice c = m.choose(0.0005, {1.8, 0});
  EXPECT_LE(c.trials.size(), 300u);
  EXPECT_LE(m.work(c), 1.8);
}

}  // namespace

}  // namespace edgeconv::testing
