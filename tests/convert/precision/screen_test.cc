// The part of a validation set that plans are measured on: an eighth of the work, and more of it where a choice failed.
#include "convert/precision/screen.h"

#include <gtest/gtest.h>

#include "convert/inputs/affordable_inputs.h"
#include "convert/passes/pass.h"
#include "convert/precision/candidate.h"
#include "convert/prepare/prepare.h"
#include "rt/base/float_mode.h"
#include "tests/convert/fixtures.h"

namespace edgeconv::testing {

namespace {

constexpr size_t kSets = 20;

class ScreenTest : public ::testing::Test {
 protected:
  ScreenTest() {
    Diagnostics d;
    original = prepare_model(fixture_model("bert_base_ts14"), {}, d);
    dims = plan_dims(original.graph, {});
    std::vector<std::vector<Tensor>> sets;
    for (size_t i = 0; i < kSets; ++i) sets.push_back(synthetic_inputs(original.graph, dims, {2, 8, false, 300 + i, true}));
    validation.emplace(original.graph, dims, sets, std::nullopt);
  }
  Tensor int8_blob() {
    Diagnostics d;
    Graph g = original.graph;
    run_passes(g, d);
    const LowerOptions options = lower_options(dims);
    return Candidates(g, options, *validation, d).built(int8_plan(g)).blob;
  }
  const ert::FloatMode mode;
  PreparedModel original;
  DimPlan dims;
  std::optional<ValidationSet> validation;
};

TEST_F(ScreenTest, BeginsWithAnEighthOfTheWork) {
  const Screen part(*validation, Screen::kPart), whole(*validation, Screen::kWhole);
  EXPECT_EQ(part.sets(), (std::vector<size_t>{0, 1, 2}));
  EXPECT_FALSE(part.is_whole());
  EXPECT_EQ(whole.sets().size(), kSets);
  EXPECT_TRUE(whole.is_whole());
}

TEST_F(ScreenTest, TheWholeTellsWhatAComparisonOfAllDoes) {
  const Tensor blob = int8_blob();
  const Screen whole(*validation, Screen::kWhole);
  EXPECT_EQ(whole.loss(blob), loss_of(validation->compare(validation->results(*open_own(blob))).worst_cosine()));
  EXPECT_GT(whole.loss(blob), 0.000001) << "int8 has some error";
}

// Those that lose most: a plan that failed on them fails on the screen from now on.
TEST_F(ScreenTest, GrowsByTheSetsThatLoseMost) {
  const Tensor blob = int8_blob();
  const auto loss = [&](size_t set) { return loss_of(validation->compare(blob, {set}).worst_cosine()); };
  Screen screen(*validation, Screen::kPart);
  const std::vector<size_t> before = screen.sets();
  screen.grow(blob);
  ASSERT_EQ(screen.sets().size(), 2 * before.size());
  double least_of_joined = 2, most_of_others = 0;
  for (size_t i = before.size(); i < kSets; ++i) {
    const bool joined = std::find(screen.sets().begin(), screen.sets().end(), i) != screen.sets().end();
    if (joined)
      least_of_joined = std::min(least_of_joined, loss(i));
    else
      most_of_others = std::max(most_of_others, loss(i));
  }
  EXPECT_GE(least_of_joined, most_of_others);
  while (!screen.is_whole()) screen.grow(blob);
  EXPECT_EQ(screen.sets().size(), kSets);
}

}  // namespace

}  // namespace edgeconv::testing
