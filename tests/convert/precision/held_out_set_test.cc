// Rows that plans of precisions are judged by: how many there are, that every draw has others, and what a failed confirmation leaves.
#include "convert/precision/held_out_set.h"

#include <gtest/gtest.h>

#include <set>

#include "convert/precision/candidate.h"
#include "convert/interp/work.h"
#include "convert/passes/pass.h"
#include "convert/prepare/prepare.h"
#include "convert/inputs/affordable_inputs.h"
#include "rt/base/float_mode.h"
#include "tests/convert/fixtures.h"

namespace edgeconv::testing {

namespace {

constexpr size_t kMostSets = 48, kUsualSets = 6, kSamples = 8;

class HeldOutSetTest : public ::testing::Test {
 protected:
  HeldOutSetTest() {
    Diagnostics d;
    original = prepare_model(fixture_model("bert_base_ts14"), {}, d);
    dims = plan_dims(original.graph, {});
  }
  const Tensor& input(const std::vector<Tensor>& set, const std::string& part) const {
    for (size_t i = 0; i < set.size(); ++i)
      if (original.graph.value(original.graph.inputs[i]).name.find(part) != std::string::npos) return set[i];
    throw std::logic_error("no input " + part);
  }
  // Everything in int8, or in fp32.
  Tensor blob(bool int8) {
    Diagnostics d;
    Graph g = original.graph;
    run_passes(g, d);
    PrecisionPlan plan;
    if (int8) plan = int8_plan(g);
    plan.int8_attention = plan.int8_tables = int8;
    const LowerOptions options = lower_options(dims);
    const ValidationSet usual(original.graph, dims, {}, padding);
    return Candidates(g, options, usual, d).take(plan).blob;
  }
  const ert::FloatMode mode;
  PreparedModel original;
  DimPlan dims;
  std::optional<PaddingMask> padding;
};

TEST_F(HeldOutSetTest, EveryDrawHasOtherRows) {
  std::set<std::string> seen;
  size_t sets = 0;
  for (int draw = 0; draw < 3; ++draw)
    for (const auto& set : held_out_inputs(original.graph, dims, draw)) {
      const Tensor& ids = input(set, "input_ids");
      EXPECT_TRUE(seen.insert(std::string(reinterpret_cast<const char*>(ids.data()), ids.bytes())).second) << "draw " << draw;
      ++sets;
    }
  EXPECT_GT(sets, 3 * kUsualSets);
  EXPECT_TRUE(held_out_inputs(original.graph, dims, 1)[0][0].same_bytes(held_out_inputs(original.graph, dims, 1)[0][0]));
}

// A pooler reads them too: with zeros alone a table of two rows has one.
TEST_F(HeldOutSetTest, TokenTypesVary) {
  size_t ones = 0, all = 0;
  for (const auto& set : held_out_inputs(original.graph, dims, 0))
    for (const int64_t v : input(set, "token_type").to_int64()) {
      ASSERT_TRUE(v == 0 || v == 1) << v;
      ones += v == 1;
      ++all;
    }
  EXPECT_GT(ones, all / 4);
  EXPECT_LT(ones, all - all / 4);
  for (const auto& set : comparison_inputs(original.graph, dims))
    for (const int64_t v : input(set, "token_type").to_int64()) ASSERT_EQ(v, 0) << "the usual inputs stay as they were";
}

// Most samples are short: an output may have one row a sample.
TEST_F(HeldOutSetTest, ManySamplesOfSmallModelsAndSomeLongOnes) {
  const auto sets = held_out_inputs(original.graph, dims, 0);
  EXPECT_GT(sets.size(), kUsualSets);
  EXPECT_LE(sets.size(), kMostSets);
  std::set<int64_t> lengths;
  for (const auto& set : sets) {
    EXPECT_EQ(input(set, "input_ids").dims()[0], static_cast<int64_t>(kSamples));
    lengths.insert(input(set, "input_ids").dims()[1]);
  }
  EXPECT_EQ(*lengths.begin(), 5);
  EXPECT_EQ(*lengths.rbegin(), 48);
}

// A model with a hundred times the work has the usual sets only, or fewer; which lengths these have depends on the draw.
TEST_F(HeldOutSetTest, FewerSamplesWhereTheyAreExpensive) {
  const double one = graph_work(original.graph, sizes_of(original.graph, held_out_inputs(original.graph, dims, 0)[0]));
  Graph large = original.graph;
  const size_t nodes = large.nodes.size();
  while (graph_work(large, sizes_of(large, held_out_inputs(original.graph, dims, 0)[0])) < 100 * one)
    for (size_t i = 0; i < nodes; ++i) large.nodes.push_back(large.nodes[i]);
  const auto first = held_out_inputs(large, dims, 0), second = held_out_inputs(large, dims, 1);
  EXPECT_LE(first.size(), kUsualSets);
  EXPECT_GE(first.size(), 1u);
  EXPECT_NE(input(first.back(), "input_ids").dims(), input(second.back(), "input_ids").dims());
}

// Of a blob that nothing is known of.
double loss_on(const HeldOutSet& rows, const Tensor& blob, double most) {
  std::vector<double> known;
  return rows.loss([&]() -> const Tensor& { return blob; }, most, known);
}

TEST_F(HeldOutSetTest, AFailedConfirmationJoins) {
  const Tensor exact = blob(false), coarse = blob(true);
  HeldOutSet rows(original.graph, dims, padding);
  EXPECT_LT(loss_on(rows, exact, 0.001), 0.000001);
  EXPECT_TRUE(rows.confirms(exact, 0.001));
  const double before = loss_on(rows, coarse, 2);
  ASSERT_GT(before, 0.00001) << "int8 has some error";
  // A gate that the rows so far pass by a hair: among the fresh ones some do not.
  EXPECT_FALSE(rows.confirms(coarse, before));
  EXPECT_GT(loss_on(rows, coarse, 2), before);
  EXPECT_GT(loss_on(rows, coarse, before), before);
}

// What a plan lost on a draw it loses again: only the draw that joined since is run, and no blob is made for nothing.
TEST_F(HeldOutSetTest, WhatIsKnownIsNotMeasuredAgain) {
  const Tensor coarse = blob(true);
  HeldOutSet rows(original.graph, dims, padding);
  int asked = 0;
  const auto ask = [&]() -> const Tensor& { return ++asked, coarse; };
  std::vector<double> known;
  const double before = rows.loss(ask, 2, known);
  EXPECT_EQ(rows.loss(ask, 2, known), before);
  EXPECT_EQ(asked, 1);
  ASSERT_FALSE(rows.confirms(coarse, before));
  EXPECT_EQ(rows.loss(ask, 2, known), loss_on(rows, coarse, 2));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(known.size(), 2u);
}

// Signals: convolutions take long, so that draws are small, and of one that failed the worst set joins alone.
TEST_F(HeldOutSetTest, WithLimitedWorkOnlyTheWorstSetJoins) {
  const Tensor exact = blob(false), coarse = blob(true);
  const auto usual = held_out_inputs(original.graph, dims, 0);
  double work = 0;
  for (size_t i = 0; i < 4; ++i) work += graph_work(original.graph, sizes_of(original.graph, usual[i]));
  EXPECT_LE(held_out_inputs(original.graph, dims, 0, work).size(), 4u);
  EXPECT_EQ(held_out_inputs(original.graph, dims, 0, 1).size(), 1u);
  HeldOutSet rows(original.graph, dims, padding, 2 * work);
  EXPECT_EQ(loss_on(rows, coarse, 0), 0) << "no plan is judged by them before a choice failed";
  EXPECT_TRUE(rows.confirms(exact, 0.001));
  EXPECT_FALSE(rows.confirms(coarse, 0.000001));
  EXPECT_GT(loss_on(rows, coarse, 2), 0.000001);
}

TEST(NeedsMoreRows, WhereAChannelIsManyTimesAsLargeAsTheOthers) {
  std::vector<LayerSensitivity> layers(3);
  for (LayerSensitivity& l : layers) l.facts.outlier_index = 4.7;  // most that ordinary small models have
  EXPECT_FALSE(needs_more_rows(layers));
  layers[1].facts.outlier_index = 26.9;  // one sample in thirty of a classifier went wrong, in int8
  EXPECT_TRUE(needs_more_rows(layers));
  EXPECT_FALSE(needs_more_rows({}));
}

}  // namespace

}  // namespace edgeconv::testing
