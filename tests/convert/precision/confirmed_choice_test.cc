// When a choice of precisions is confirmed, made again, or given up, with a judge that says what a test wants.
#include "convert/precision/confirmed_choice.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/convert/precision/ladder_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

constexpr int kLayers = 24, kAllOfThem = kLayers + 1;  // then nothing is ever confirmed

// The usual inputs see no error. Of the rows held out each draw finds one more layer that int8 is too little for.
class FakeJudge : public ChoiceJudge {
 public:
  explicit FakeJudge(int layers_at_fault, bool holds_out = true) : at_fault_(layers_at_fault), holds_out_(holds_out) {}
  double compared(const LowerOptions&) override { return 0.9999; }
  bool holds_rows_out() const override { return holds_out_; }
  double held_out(const LowerOptions& o, double) override {
    ++held_out_runs;
    if (passes(o, found_)) return 0.9998;
    std::string precisions = {o.plan.int8_attention ? 'a' : 'A', o.plan.int8_tables ? 't' : 'T'};
    for (const auto& [id, l] : o.plan.layers()) precisions += std::to_string(static_cast<int>(l.precision));
    failed.push_back(precisions);
    return 0.95;
  }
  bool confirms(const LowerOptions& o, double) override {
    ++confirmations;
    if (at_fault_ != kAllOfThem && passes(o, at_fault_)) return true;
    if (found_ < kLayers) ++found_;
    return false;
  }
  uint64_t bytes(const LowerOptions&) override { return 0; }
  int held_out_runs = 0, confirmations = 0;
  std::vector<std::string> failed;

 private:
  static bool passes(const LowerOptions& o, int layers) {
    for (NodeId id = 0; id < layers; ++id)
      if (o.plan.of(id).precision == linear::kInt8) return false;
    return true;
  }
  const int at_fault_;
  const bool holds_out_;
  int found_ = 0;
};

struct Chosen {
  std::vector<LayerReport> layers = some_layers(kLayers);
  LowerOptions options;
  std::vector<LadderStep> trace;
};

Chosen choose(FakeJudge& judge, const PrecisionRequest& request = {}) {
  Chosen c;
  ConfirmedChoice(request, {}, judge).choose(c.layers, c.options, c.trace);
  return c;
}

TEST(ConfirmedChoice, TakesWhatIsConfirmed) {
  FakeJudge judge(0);
  const Chosen c = choose(judge);
  EXPECT_EQ(with_precision(c.options, linear::kInt8), kLayers);
  EXPECT_EQ(judge.confirmations, 1);
  EXPECT_EQ(c.trace.size(), 1u);
}

TEST(ConfirmedChoice, ClimbsAgainOverTheRowsThatFailed) {
  FakeJudge judge(2);
  const Chosen c = choose(judge);
  EXPECT_EQ(judge.confirmations, 3);
  for (NodeId id = 0; id < 2; ++id) EXPECT_NE(c.options.plan.of(id).precision, linear::kInt8) << id;
  EXPECT_GT(with_precision(c.options, linear::kInt8), 0);
  EXPECT_LT(c.trace.front().worst_cosine, PrecisionRequest{}.target_cosine)
      << "of the last climb only, that began with all in int8";
  EXPECT_GE(c.trace.back().worst_cosine, PrecisionRequest{}.target_cosine);
}

// Every choice failed on rows that it did not see: the next one would, too.
TEST(ConfirmedChoice, AfterTenClimbsEverythingIsExact) {
  FakeJudge judge(kAllOfThem);
  const Chosen c = choose(judge);
  EXPECT_EQ(ConfirmedChoice::kClimbs, 10);
  EXPECT_EQ(judge.confirmations, ConfirmedChoice::kClimbs);
  EXPECT_EQ(with_precision(c.options, linear::kF32), kLayers);
  for (const LayerReport& l : c.layers) EXPECT_EQ(l.precision, linear::kF32) << l.name;
  EXPECT_FALSE(c.options.plan.int8_attention);
  EXPECT_FALSE(c.options.plan.int8_tables);
  for (const LadderStep& s : c.trace) EXPECT_LT(s.worst_cosine, PrecisionRequest{}.target_cosine) << "what passed did so by luck";
  EXPECT_FALSE(c.trace.empty());
}

// The ninth choice is the first that is confirmed: not everything is exact then.
TEST(ConfirmedChoice, TakesALateChoice) {
  FakeJudge judge(8);
  const Chosen c = choose(judge);
  EXPECT_EQ(judge.confirmations, 9);
  EXPECT_GT(with_precision(c.options, linear::kInt8), 0);
  EXPECT_EQ(with_precision(c.options, linear::kF32), 0);
}

// The budget holds there, too: as much as fits is exact.
TEST(ConfirmedChoice, WithinABudgetWhatFitsIsExact) {
  FakeJudge judge(kAllOfThem);
  PrecisionRequest request;
  request.max_slowdown = 2.5;
  Chosen c;
  const auto shortfall = ConfirmedChoice(request, {}, judge).choose(c.layers, c.options, c.trace);
  ASSERT_TRUE(shortfall);
  EXPECT_LE(slowdown(c.layers), 2.5);
  EXPECT_LE(shortfall->reached.slowdown, 2.5);
}

// A climb that starts again goes past the same choices: what failed on fewer rows fails on more.
TEST(ConfirmedChoice, WhatFailedIsNotMeasuredAgain) {
  FakeJudge judge(kAllOfThem);
  choose(judge);
  EXPECT_EQ(judge.confirmations, ConfirmedChoice::kClimbs);
  ASSERT_GT(judge.failed.size(), 3u);
  EXPECT_EQ(std::set<std::string>(judge.failed.begin(), judge.failed.end()).size(), judge.failed.size());
}

TEST(ConfirmedChoice, OrdinaryModelsAndForcedPrecisionsNeedNoConfirmation) {
  FakeJudge ordinary(kAllOfThem, false), forced(kAllOfThem);
  EXPECT_EQ(with_precision(choose(ordinary).options, linear::kInt8), kLayers);
  EXPECT_EQ(ordinary.held_out_runs + ordinary.confirmations, 0);
  PrecisionRequest request;
  request.mode = PrecisionMode::kInt8;
  EXPECT_EQ(with_precision(choose(forced, request).options, linear::kInt8), kLayers);
  EXPECT_EQ(forced.held_out_runs + forced.confirmations, 0);
}

}  // namespace

}  // namespace edgeconv::testing
