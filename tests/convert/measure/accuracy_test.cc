// The metric that gates, reports and the search for precisions share.
#include "convert/measure/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace edgeconv::testing {

namespace {

OutputSums sums_of(const std::vector<std::vector<float>>& reference, const std::vector<std::vector<float>>& result) {
  OutputSums s;
  s.row = reference[0].size();
  for (size_t r = 0; r < reference.size(); ++r) {
    s.by_row.emplace_back();
    for (size_t i = 0; i < s.row; ++i) {
      s.add(reference[r][i], result[r][i]);
      s.by_row.back().add(reference[r][i], result[r][i]);
    }
  }
  return s;
}

TEST(Accuracy, TheWorstOutputCounts) {
  EXPECT_EQ(worst_cosine({{"a", 0.9995}, {"b", 0.98}, {"c", 1}}), 0.98);
  EXPECT_EQ(worst_cosine({}), 1) << "nothing was compared";
}

TEST(Accuracy, WhatWarnsMayPassAndWhatFailsWarns) {
  EXPECT_LE(kFailCosine, kWarnCosine);
  EXPECT_LE(kWarnCosine, kTargetCosine) << "what automatic precision is content with does not warn";
  EXPECT_EQ(cosine_of(loss_of(kTargetCosine)), kTargetCosine) << "a gate is the same one as a loss";
}

TEST(Accuracy, DecibelsOfTheSquares) {
  EXPECT_DOUBLE_EQ(sqnr_db(1000, 1), 30);
  EXPECT_EQ(sqnr_db(5, 0), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(sums_of({{3, 4}}, {{3, 4.5f}}).error("y").sqnr_db, sqnr_db(25, 0.25));
}

TEST(Accuracy, ZerosAgreeAndWhatIsNoNumberDoesNot) {
  EXPECT_EQ(sums_of({{0, 0}}, {{0, 0}}).error("y").cosine, 1);
  EXPECT_EQ(sums_of({{0, 0}}, {{0, 1}}).error("y").cosine, 0);
  EXPECT_EQ(sums_of({{1, 2}}, {{std::nanf(""), 2}}).error("y").cosine, 0);
}

// One row of a thousand is the wrong way round: the sum loses 0.002, the row 2, of which a twentieth counts.
TEST(Accuracy, ARowCountsATwentiethOfItsLoss) {
  std::vector<std::vector<float>> reference(1000, {1, 2, 3, 4}), result = reference;
  for (float& v : result[7]) v = -v;
  const OutputSums s = sums_of(reference, result);
  EXPECT_NEAR(s.error("y").cosine, 0.998, 1e-9);
  EXPECT_NEAR(s.judged_cosine(false), 0.9, 1e-9);
}

}  // namespace

}  // namespace edgeconv::testing
