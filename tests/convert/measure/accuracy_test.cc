// The metric that gates, reports and the search for precisions share.
#include "convert/interp/portable_math.h"
#include "convert/measure/accuracy.h"

#include "convert/measure/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

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

// Numbers, one a row.
OutputError error_of(DecidedBy decided_by, const std::vector<float>& reference, const std::vector<float>& result) {
  OutputSums s;
  s.decided_by = decided_by;
  s.row = 1;
  for (size_t i = 0; i < reference.size(); ++i) {
    ++s.elements;
    s.add(reference[i], result[i]);
    s.by_row.emplace_back().add(reference[i], result[i]);
    s.max_ref = std::max<double>(s.max_ref, std::fabs(reference[i]));
    s.weigh(reference[i], result[i], 0);
  }
  return s.error("y");
}

// A wake word of .002 became .004: next to one of .9 the cosine does not see it.
// Rows whose reference is finite are added in lanes, the others number by number: both give the same bits of every figure.
TEST(Accuracy, RowsAddedInLanesAreThoseAddedOneByOne) {
  constexpr size_t kRow = 29, kRows = 12;
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
  const auto filled = [&](bool odd_reference, bool odd_result) {
    std::vector<float> both[2];
    uint32_t state = 7;
    for (size_t i = 0; i < kRow * kRows; ++i) {
      state = state * 1664525u + 1013904223u;
      const float p = static_cast<float>(state >> 8) * 0x1p-24f;
      both[0].push_back(i % 3 ? p * 0.002f : p);
      both[1].push_back(both[0].back() + (i % 5 ? 1e-4f : -1e-3f) * p);
    }
    if (odd_reference) both[0][70] = kInfinity, both[0][71] = kNaN, both[1][71] = kNaN, both[0][100] = kNaN;
    if (odd_result) both[1][200] = kNaN, both[1][230] = -kInfinity;
    return std::pair(both[0], both[1]);
  };
  for (const Decision by : {Decision::kValue, Decision::kLogit, Decision::kLogarithm})
    for (const int odd : {0, 1, 2, 3}) {
      const auto [reference, result] = filled(odd & 1, odd & 2);
      OutputSums sums[2];
      for (OutputSums& s : sums) {
        s.row = kRow;
        s.decided_by = {by, 1, false, true};
        const auto counts = &s == sums ? std::function<bool(size_t)>() : [](size_t) { return true; };
        for (size_t r = 0; r < kRows; ++r) {
          if (r % 3 == 0) s.begin_sample();
          // A row in two parts, as where a sample ends within one.
          s.add_elements(reference.data() + r * kRow, result.data() + r * kRow, 9, 0, counts);
          s.add_elements(reference.data() + r * kRow + 9, result.data() + r * kRow + 9, kRow - 9, 9, counts);
        }
      }
      const OutputError lanes = sums[0].error("y"), alone = sums[1].error("y");
      const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
      EXPECT_TRUE(same(lanes.cosine, alone.cosine) && same(lanes.sqnr_db, alone.sqnr_db) && same(lanes.decided, alone.decided)) << odd;
      EXPECT_TRUE(same(lanes.max_abs, alone.max_abs) && same(lanes.max_ref, alone.max_ref)) << odd;
      EXPECT_TRUE(same(sums[0].judged_cosine(false), sums[1].judged_cosine(false))) << odd;
      EXPECT_TRUE(same(sums[0].diff2, sums[1].diff2) && same(sums[0].dot, sums[1].dot)) << odd;
      EXPECT_EQ(lanes.elements, alone.elements);
      EXPECT_EQ(lanes.evidence, alone.evidence);
      EXPECT_EQ(sums[0].no_numbers, sums[1].no_numbers);
    }
}

TEST(Accuracy, ProbabilitiesAreDecidedByTheirLogit) {
  const OutputError e = error_of({Decision::kLogit}, {0.9f, 0.002f}, {0.9f, 0.004f});
  EXPECT_GT(e.cosine, 0.99999);
  const double off = std::log(0.004 / 0.996) - std::log(0.002 / 0.998);
  EXPECT_NEAR(e.decided, 1 - off * off / 2 / 2, 1e-6);
  EXPECT_EQ(error_of({Decision::kLogit}, {0.9f, 1e-7f}, {0.9f, 1e-5f}).decided, 1) << "both are certain";
  EXPECT_EQ(error_of({Decision::kValue}, {0.9f, 0.002f}, {0.9f, 0.004f}).decided, 1);
}

// Of thousands of classes nearly all are certain in both: passed over many at a time, but for the few that are not, wherever they are.
TEST(Accuracy, OneUndecidedClassOfManyCounts) {
  constexpr size_t kClasses = 100;
  for (size_t at : {size_t{0}, size_t{31}, size_t{32}, size_t{70}, size_t{99}})
    for (const bool in_result : {false, true}) {
      std::vector<float> reference(kClasses, 1e-5f), result(kClasses, 2e-5f);
      (in_result ? result : reference)[at] = 0.002f;
      OutputSums s;
      s.row = kClasses;
      s.decided_by.by = Decision::kLogit;
      s.begin_sample();
      for (int row = 0; row < 2; ++row) s.add_elements(reference.data(), result.data(), kClasses, 0, {});
      const double off = std::log(0.002 / 0.998) - std::log(0.001 / 0.999);
      EXPECT_NEAR(s.error("y").decided, 1 - off * off / 2, 1e-6) << at;
    }
}

// A wake word's head was certified at 39 dB and had 24: half of its made-up windows were so small that they err hardly.
TEST(Accuracy, OfMadeUpWindowsTheWorseHalfCounts) {
  const std::vector<float> reference = {0.5f, 0.5f, 0.5f, 0.5f, 0.0001f}, result = {0.5f, 0.6f, 0.5f, 0.4f, 0.0001f};
  DecidedBy by{Decision::kLogit};
  const OutputError all = error_of(by, reference, result);
  by.by_worse_half = true;
  const OutputError worse = error_of(by, reference, result);
  const double off = std::log(0.6 / 0.4);
  EXPECT_NEAR(all.decided, 1 - off * off / 4, 1e-6);
  EXPECT_NEAR(worse.decided, 1 - off * off / 2, 1e-6);
  EXPECT_NEAR(all.sqnr_db - worse.sqnr_db, 10 * std::log10(2), 1e-5);
  EXPECT_EQ(error_of(by, {0.0001f}, {0.0001f}).decided, 1) << "no row is undecided";
}

// Silence and easy pictures hide what single samples lose: a wake word's head was certified at 28 dB and had 21.
constexpr size_t kMany = 2000;  // samples

TEST(Accuracy, OfMadeUpSamplesTheWorstTenthIsStated) {
  OutputSums s;
  s.row = 1;
  s.decided_by.by_worst_tenth = true;
  for (int sample = 0; sample < 2000; ++sample) {
    s.begin_sample();
    const double reference = 2, result = sample < 200 ? 2.2 : 2.002;
    ++s.elements;
    s.add(reference, result);
    s.by_row.emplace_back().add(reference, result);
    s.weigh(reference, result, 0);
  }
  EXPECT_NEAR(s.error("y").sqnr_db, 20, 1e-6);
  EXPECT_GT(s.error("y").cosine, 0.9995) << "gates are for all samples";
  s.decided_by.by_worst_tenth = false;
  EXPECT_NEAR(s.error("y").sqnr_db, 30, 0.1);
}

TEST(Accuracy, SamplesThatAreMostlyRoundingAreNotTheWorstTenth) {
  DecidedBy tenth;
  tenth.by_worst_tenth = true;
  OutputSums s;
  s.row = 1;
  s.decided_by = tenth;
  for (int sample = 0; sample < 3 * static_cast<int>(kMany); ++sample) {
    const double reference = sample % 3 ? 1 : 0.001, result = sample % 3 ? 1.01 : 0.003;
    s.begin_sample();
    s.add(reference, result);
    s.by_row.emplace_back().add(reference, result);
    s.weigh(reference, result, 0);
  }
  EXPECT_NEAR(s.error("y").sqnr_db, 40, 0.2);
}

// Of two pages a detector's blob was certified with 29 dB, and had 24 on the next.
TEST(Accuracy, FewSamplesPromiseLess) {
  const auto of_samples = [](const std::vector<double>& errors) {
    OutputSums s;
    s.row = 1;
    s.decided_by.by_worst_tenth = true;
    for (const double error : errors) {
      s.begin_sample();
      s.add(1, 1 + error);
      s.by_row.emplace_back().add(1, 1 + error);
      s.weigh(1, 1 + error, 0);
    }
    return s.error("y").sqnr_db;
  };
  // Two alike: 3 degrees of freedom, a variance of 2 * 3 * 3 / 3, t = 1.638.
  EXPECT_NEAR(of_samples({0.01, 0.01}), 40 - 1.638 * std::sqrt(6 * 1.5), 1e-6);
  EXPECT_LT(of_samples({0.01, 0.005}), 40 - 1.638 * std::sqrt(6 * 1.5) + 6.1 / 2) << "and less where they differ";
  EXPECT_NEAR(of_samples(std::vector<double>(kMany, 0.01)), 40, 0.2);
}

// The direction of a line of text was certified at 29 dB and had 17: on made-up pictures the model was hardly decided, and erred as little.
TEST(Accuracy, ErrorsOfSmallLogitsGrowWithThem) {
  DecidedBy by{Decision::kLogit};
  const std::vector<float> reference = {0.5f, 0.6f}, result = {0.51f, 0.61f};
  const double logit = std::log(0.6 / 0.4), off = std::log(0.51 / 0.49), rms = std::sqrt(logit * logit / 2);
  EXPECT_GT(error_of(by, reference, result).sqnr_db, 27);
  by.by_worst_tenth = true;
  OutputSums s;
  s.row = 1;
  s.decided_by = by;
  for (size_t sample = 0; sample < kMany; ++sample) {
    const size_t i = sample % 2;
    ++s.elements;
    s.begin_sample();
    s.add(reference[i], result[i]);
    s.by_row.emplace_back().add(reference[i], result[i]);
    s.weigh(reference[i], result[i], 0);
  }
  const double worse = std::max(off, std::log(0.61 / 0.39) - logit);
  EXPECT_NEAR(s.error("y").sqnr_db, -20 * std::log10(worse * 4.6 / rms), 0.2);
}

// A detector of text saw none on made-up pictures, and was certified with the dB of its zeros.
TEST(Accuracy, WhatNoSampleLeavesUndecidedIsNoEvidence) {
  DecidedBy by{Decision::kLogit};
  EXPECT_EQ(error_of(by, {1e-5f, 1}, {1e-5f, 1}).evidence, Evidence::kMoves) << "on recorded inputs that is what the model does";
  by.by_worst_tenth = true;
  EXPECT_EQ(error_of(by, {1e-5f, 1}, {1e-5f, 1}).evidence, Evidence::kSure);
  EXPECT_TRUE(error_of(by, {1e-5f, 1}, {1e-5f, 1}).vacuous());
  EXPECT_EQ(error_of(by, {1e-5f, 0.9f}, {1e-5f, 0.9f}).evidence, Evidence::kMoves);
}

// The same errors count the same whatever the unit of the power is.
TEST(Accuracy, LogarithmsAreJudgedWithoutTheirMean) {
  const OutputError near = error_of({Decision::kLogarithm}, {-1, 1, -1, 1}, {-1, 1.1f, -1, 1}),
                    far = error_of({Decision::kLogarithm}, {-101, -99, -101, -99}, {-101, -98.9f, -101, -99});
  EXPECT_NEAR(near.decided, 1 - 0.01 / 4 / 2, 1e-6);
  EXPECT_NEAR(far.decided, near.decided, 1e-5);
  EXPECT_GT(far.cosine, 0.999999);
}

// Digital silence beside sound makes the spread of logarithms large; what is heard is no better for it.
TEST(Accuracy, PausesDoNotHideErrorsOfLogarithms) {
  const std::vector<float> reference = {-100, -98, -20, -18, -100, -100}, result = {-100, -98, -19, -18, -100, -100};
  EXPECT_GT(error_of({Decision::kLogarithm, 0}, reference, result).decided, 0.9999);
  EXPECT_NEAR(error_of({Decision::kLogarithm, 1}, reference, result).decided, 1 - 1.0 / 6 / 2, 1e-6);
}

TEST(Accuracy, PortableLogarithm) {
  for (const double x : {1e-9, 0.001, 0.5, 0.7, 1.0, 1.5, 998.0, 3e20})
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-13 * 50) << x;
}

TEST(Accuracy, AReferenceThatDoesNotMoveIsNoEvidence) {
  EXPECT_EQ(error_of({Decision::kValue}, {0, 0, 0}, {0, 0, 0}).evidence, Evidence::kZero);
  EXPECT_EQ(error_of({Decision::kValue}, {2, 2, 2}, {2, 2, 2}).evidence, Evidence::kConstant);
  EXPECT_EQ(error_of({Decision::kValue}, {2, 2.0001f, 2}, {2, 2, 2}).evidence, Evidence::kHardlyMoves);
  EXPECT_EQ(error_of({Decision::kValue}, {2, 2.000001f, 2}, {2, 2, 2}).evidence, Evidence::kStill);
  EXPECT_EQ(error_of({Decision::kValue}, {2, 3, 2}, {2, 3, 2}).evidence, Evidence::kMoves);
  EXPECT_TRUE(error_of({Decision::kValue}, {0, 0}, {0, 0}).vacuous());
  EXPECT_FALSE(error_of({Decision::kValue}, {0, 0}, {0, 1}).vacuous()) << "an error is an error";
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
