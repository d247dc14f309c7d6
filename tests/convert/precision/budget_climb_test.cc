// Budgets of work and bytes, with made-up losses that add up: what fits is taken, what does not makes room for what does.
#include "convert/precision/budget_climb.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/convert/precision/ladder_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr uint64_t kTableBytes = 1000;

// Layer i loses loss[i] in int8, a tenth with 16-bit activations, nothing in fp32.
struct Model {
  explicit Model(std::vector<double> l) : loss(std::move(l)), layers(some_layers(static_cast<int>(loss.size()))) {}
  double cosine(const LowerOptions& o) const {
    double c = 1;
    for (const auto& [id, l] : o.plan.layers())
      c -= loss[static_cast<size_t>(id)] * (l.precision == linear::kInt8 ? 1 : l.precision == linear::kInt8A16 ? 0.1 : 0);
    return c - (o.plan.int8_tables ? table_loss : 0);
  }
  uint64_t bytes(const LowerOptions& o) const {
    uint64_t n = o.plan.int8_tables ? kTableBytes : 4 * kTableBytes;
    for (const auto& [id, l] : o.plan.layers()) {
      const LayerReport& layer =
          *std::find_if(layers.begin(), layers.end(), [id = id](const LayerReport& r) { return r.node == id; });
      n += static_cast<uint64_t>(layer.k * layer.n) * (l.precision == linear::kF32 ? 4 : 1);
    }
    return n;
  }
  std::optional<Shortfall> choose(const PrecisionRequest& request) {
    trace.clear();
    options = {};
    return choose_precision(
        request, {}, layers, options, [this](const LowerOptions& o) { return cosine(o); }, &trace,
        [this](const LowerOptions& o) { return bytes(o); });
  }
  std::vector<double> loss;
  double table_loss = 0;
  std::vector<LayerReport> layers;
  LowerOptions options;
  std::vector<LadderStep> trace;
};

PrecisionRequest request_for(double gate, double slowdown, uint64_t bytes = 0) {
  PrecisionRequest r;
  r.target_cosine = gate;
  r.max_slowdown = slowdown;
  r.max_bytes = bytes;
  return r;
}

// Noise ranks the first layers first; the loss is in the last ones.
std::vector<double> losses_at_the_end() {
  std::vector<double> loss(16, 1e-5);
  for (size_t i = 13; i < 16; ++i) loss[i] = 4e-4;
  return loss;
}

TEST(BudgetClimb, TakesOtherLayersThatFit) {
  Model m(losses_at_the_end());
  EXPECT_FALSE(m.choose(request_for(0.999, 0)));
  ASSERT_GT(slowdown(m.layers), 1.2) << "the usual climb lifts by noise";
  EXPECT_FALSE(m.choose(request_for(0.999, 1.2)));
  EXPECT_LE(slowdown(m.layers), 1.2);
  EXPECT_GE(m.cosine(m.options), 0.999);
  for (NodeId id = 0; id < 13; ++id) EXPECT_EQ(m.options.plan.of(id).precision, linear::kInt8) << id;
}

TEST(BudgetClimb, TakesNoMoreThanTheGateNeeds) {
  Model m(losses_at_the_end());
  EXPECT_FALSE(m.choose(request_for(0.999, 1.2)));
  EXPECT_EQ(with_precision(m.options, linear::kInt8A16), 1) << "one of three layers of 0.0004 each is enough";
  EXPECT_EQ(with_precision(m.options, linear::kF32), 0);
}

TEST(BudgetClimb, ABudgetThatIsKeptAnyhowChangesNothing) {
  Model free(losses_at_the_end()), bound(losses_at_the_end());
  free.choose(request_for(0.999, 0));
  bound.choose(request_for(0.999, slowdown(free.layers), 1000000));
  EXPECT_TRUE(free.options.plan == bound.options.plan);
  EXPECT_EQ(free.trace.size(), bound.trace.size());
}

// A large layer that gains most does not fit: smaller ones do.
TEST(BudgetClimb, PassesOverWhatDoesNotFit) {
  Model m({3e-3, 6e-4, 6e-4, 1e-6});
  m.layers[0].n = 64;
  const auto shortfall = m.choose(request_for(0.999, 1.3));
  ASSERT_TRUE(shortfall);
  EXPECT_TRUE(shortfall->gate_reached);
  EXPECT_GT(shortfall->needed.slowdown, 1.3);
  EXPECT_GE(shortfall->needed.worst_cosine, 0.999);
  EXPECT_LE(slowdown(m.layers), 1.3);
  EXPECT_DOUBLE_EQ(shortfall->reached.worst_cosine, m.cosine(m.options));
  EXPECT_EQ(m.options.plan.of(0).precision, linear::kInt8);
  EXPECT_NE(m.options.plan.of(1).precision, linear::kInt8);
  EXPECT_NE(m.options.plan.of(2).precision, linear::kInt8);
  EXPECT_LT(m.cosine(m.options), 0.999);
}

// 16-bit activations cost no bytes: with only bytes limited they come before fp32, which takes what is left.
TEST(BudgetClimb, BytesLeaveOnlyAFewLayersInFp32) {
  Model m(std::vector<double>(10, 1e-3));
  const uint64_t all_int8 = kTableBytes + 10 * 64, most = all_int8 + 3 * 3 * 64;
  EXPECT_FALSE(m.choose(request_for(0.99925, 0, most)));
  EXPECT_LE(m.bytes(m.options), most);
  EXPECT_GE(m.cosine(m.options), 0.99925);
  EXPECT_EQ(with_precision(m.options, linear::kF32), 3);
  const auto shortfall = m.choose(request_for(0.9994, 0, most));
  ASSERT_TRUE(shortfall);
  EXPECT_LE(shortfall->reached_bytes, most);
  EXPECT_EQ(shortfall->reached_bytes, m.bytes(m.options));
  EXPECT_GT(shortfall->needed_bytes, most);
}

// Tables in fp32 take four times their bytes: where these do not fit, they stay.
TEST(BudgetClimb, TablesStayWhereTheirBytesDoNotFit) {
  Model m(std::vector<double>(4, 1e-5));
  m.table_loss = 2e-3;
  EXPECT_FALSE(m.choose(request_for(0.999, 0)));
  EXPECT_FALSE(m.options.plan.int8_tables);
  const auto shortfall = m.choose(request_for(0.999, 0, 3 * kTableBytes));
  ASSERT_TRUE(shortfall);
  EXPECT_TRUE(m.options.plan.int8_tables);
  EXPECT_LE(m.bytes(m.options), 3 * kTableBytes);
}

TEST(BudgetClimb, EverythingIsInt8WhereNothingFits) {
  Model m(std::vector<double>(4, 1e-3));
  const auto shortfall = m.choose(request_for(0.999, 0, 100));
  ASSERT_TRUE(shortfall);
  EXPECT_EQ(with_precision(m.options, linear::kInt8), 4);
  EXPECT_TRUE(m.options.plan.int8_attention && m.options.plan.int8_tables);
}

// What the user asked for is part of the work and stays.
TEST(BudgetClimb, AskedForPrecisionsStay) {
  Model m(losses_at_the_end());
  PrecisionRequest request = request_for(0.999, 1.4);
  request.overrides = {{"/layer0/*", PrecisionMode::kFp32}};
  EXPECT_FALSE(m.choose(request));
  EXPECT_EQ(m.options.plan.of(0).precision, linear::kF32);
  EXPECT_LE(slowdown(m.layers), 1.4);
}

// Of many layers only some are measured.
TEST(BudgetClimb, MeasuresAtMostTwiceAsManyTimesAsThereAreTrials) {
  Model m(std::vector<double>(200, 1e-5));
  PrecisionRequest request = request_for(0.9995, 1.8);
  m.choose(request);
  EXPECT_LE(m.trace.size(), 300u);
  EXPECT_LE(slowdown(m.layers), 1.8);
}

}  // namespace

}  // namespace edgeconv::testing
