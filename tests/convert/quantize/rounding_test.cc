// Rounding with feedback and the search for smoothing factors, on rows whose channels correlate.
#include "convert/quantize/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "convert/quantize/curvature.h"
#include "convert/quantize/smoothing.h"

namespace edgeconv::testing {

namespace {

// [count, k]: every channel is a mixture of three sources and a little of its own, channel 5 `fifth` times as large.
SampledRows correlated_rows(int64_t count, int64_t k, unsigned seed, float fifth = 30) {
  std::mt19937 random(7), rows_random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> mixture(static_cast<size_t>(3 * k));
  for (float& m : mixture) m = normal(random);
  SampledRows rows{k, {}};
  for (int64_t t = 0; t < count; ++t) {
    const float source[] = {normal(rows_random), normal(rows_random), normal(rows_random)};
    for (int64_t i = 0; i < k; ++i) {
      float x = 0.3f * normal(rows_random);
      for (int64_t s = 0; s < 3; ++s) x += source[s] * mixture[static_cast<size_t>(s * k + i)];
      rows.data.push_back(i == 5 ? fifth * x : x);
    }
  }
  return rows;
}

Tensor random_weights(int64_t k, int64_t n) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  Tensor w(DType::kFloat, {k, n});
  for (float& v : w.mut<float>()) v = normal(random);
  return w;
}

// Mean square of rows times the error of the stored weights.
double output_error(const SampledRows& rows, const Tensor& w, const QuantizedWeights& q, const std::vector<float>& smooth) {
  double sum = 0;
  for (int64_t t = 0; t < rows.count(); ++t)
    for (int64_t c = 0; c < q.n; ++c) {
      double d = 0;
      for (int64_t k = 0; k < q.k; ++k) {
        const double stored = double{q.scale[static_cast<size_t>(c)]} * q.codes[static_cast<size_t>(c * q.k + k)];
        const double s = smooth.empty() ? 1.0 : smooth[static_cast<size_t>(k)];
        d += rows.data[static_cast<size_t>(t * q.k + k)] * (stored / s - w.as<float>()[static_cast<size_t>(k * q.n + c)]);
      }
      sum += d * d;
    }
  return sum / static_cast<double>(rows.count() * q.n);
}

// The gain must hold on rows that the rounding has not seen.
TEST(Rounding, FeedbackLowersTheErrorOfOtherRows) {
  constexpr int64_t kK = 150, kN = 40;  // more than two tiles, and no multiple of one
  const SampledRows rows = correlated_rows(1024, kK, 1, 1), others = correlated_rows(200, kK, 2, 1);
  const Tensor w = random_weights(kK, kN);
  const QuantizedWeights plain = quantize_weights(w.as<float>(), kK, kN);
  const QuantizedWeights better = round_with_feedback(w.as<float>(), kK, kN, {}, rows);
  EXPECT_LT(output_error(others, w, better, {}), 0.5 * output_error(others, w, plain, {}));
  EXPECT_EQ(better.scale, plain.scale);
  for (int64_t c = 0; c < kN; ++c) {
    int32_t sum = 0;
    for (int64_t k = 0; k < kK; ++k) {
      const int8_t code = better.codes[static_cast<size_t>(c * kK + k)];
      EXPECT_GE(code, -127);
      sum += code;
    }
    EXPECT_EQ(better.colsum[static_cast<size_t>(c)], sum);
  }
}

TEST(Rounding, FactorsFactoriseTheSecondOrderStatistics) {
  constexpr size_t kK = 130;
  const SampledRows rows = correlated_rows(300, kK, 3);
  const std::vector<float> u = feedback_factors(rows, 0, std::vector<float>(kK, 1.0f), 1.0);
  ASSERT_EQ(u.size(), kK * kK);
  std::vector<double> h(kK * kK, 0.0), d(kK);
  double trace = 0;
  for (size_t i = 0; i < kK; ++i)
    for (size_t j = 0; j < kK; ++j) {
      for (int64_t t = 0; t < rows.count(); ++t)
        h[i * kK + j] += double{rows.data[static_cast<size_t>(t) * kK + i]} * rows.data[static_cast<size_t>(t) * kK + j];
      if (i == j) trace += h[i * kK + i];
    }
  for (size_t i = 0; i < kK; ++i) h[i * kK + i] += trace / kK;
  const auto factor = [&](size_t i, size_t j) { return i == j ? 1.0 : i < j ? double{u[i * kK + j]} : 0.0; };
  for (size_t j = kK; j-- > 0;) {
    d[j] = h[j * kK + j];
    for (size_t l = j + 1; l < kK; ++l) d[j] -= factor(j, l) * factor(j, l) * d[l];
  }
  for (size_t i = 0; i < kK; i += 7)
    for (size_t j = i; j < kK; j += 5) {
      double product = 0;
      for (size_t l = j; l < kK; ++l) product += factor(i, l) * d[l] * factor(j, l);
      EXPECT_NEAR(product, h[i * kK + j], 2e-5 * std::sqrt(h[i * kK + i] * h[j * kK + j])) << i << " " << j;
    }
}

TEST(Rounding, TooFewOrEmptyRowsChangeNothing) {
  const Tensor w = random_weights(20, 8);
  const QuantizedWeights plain = quantize_weights(w.as<float>(), 20, 8);
  EXPECT_EQ(round_with_feedback(w.as<float>(), 20, 8, {}, correlated_rows(10, 20, 1)).codes, plain.codes);
  EXPECT_EQ(round_with_feedback(w.as<float>(), 20, 8, {}, SampledRows{20, std::vector<float>(20 * 64, 0.0f)}).codes, plain.codes);
}

// A column of zeros has the scale 0, and a channel that is never used must not disturb the others.
TEST(Rounding, ZeroColumnsAndChannels) {
  Tensor w = random_weights(20, 8);
  for (int64_t k = 0; k < 20; ++k) w.mut<float>()[static_cast<size_t>(k * 8 + 3)] = 0;
  SampledRows rows = correlated_rows(64, 20, 1);
  for (size_t i = 4; i < rows.data.size(); i += 20) rows.data[i] = 0;
  LayerSample sample{std::vector<float>(20, 0.0f), {rows}};
  for (size_t i = 0; i < rows.data.size(); ++i) sample.amax[i % 20] = std::max(sample.amax[i % 20], std::fabs(rows.data[i]));
  const std::vector<float> smooth = smoothing_factors(sample, w);
  EXPECT_EQ(smooth[4], 1.0f);
  const QuantizedWeights q = round_with_feedback(w.as<float>(), 20, 8, smooth, rows);
  for (int64_t k = 0; k < 20; ++k) EXPECT_EQ(q.codes[static_cast<size_t>(3 * 20 + k)], 0);
  EXPECT_EQ(q.scale[3], 0.0f);
}

// With 16-bit rows only the weights' errors are left to lower.
TEST(Smoothing, FineRowsLowerTheErrorsOfWeights) {
  constexpr int64_t kK = 96, kN = 64;
  const SampledRows rows = correlated_rows(256, kK, 1);
  const Tensor w = random_weights(kK, kN);
  LayerSample sample{std::vector<float>(kK, 0.0f), {rows}};
  for (size_t i = 0; i < rows.data.size(); ++i) sample.amax[i % kK] = std::max(sample.amax[i % kK], std::fabs(rows.data[i]));
  const auto error = [&](double lhs_steps) {
    const std::vector<float> smooth = smoothing_factors(sample, w, lhs_steps);
    return output_error(rows, w, quantize_weights(w.as<float>(), kK, kN, smooth), smooth);
  };
  EXPECT_LT(error(kInt16Steps), 0.9 * error(kInt8Steps));
}

// The search must not lose against the rule it starts from, where the noise is measured and not modelled.
TEST(Smoothing, SearchLowersTheMeasuredNoise) {
  constexpr int64_t kK = 96, kN = 64;
  SampledRows rows = correlated_rows(256, kK, 1);
  for (size_t i = 0; i < rows.data.size(); i += kK * 16) rows.data[i + 40] = 40;  // rare: the rule smooths it too much
  const Tensor w = random_weights(kK, kN);
  LayerSample sample{std::vector<float>(kK, 0.0f), {rows}};
  for (size_t i = 0; i < rows.data.size(); ++i) sample.amax[i % kK] = std::max(sample.amax[i % kK], std::fabs(rows.data[i]));
  const LayerSample few{sample.amax, {correlated_rows(8, kK, 1)}};
  const std::vector<float> rule = smoothing_factors(few, w), found = smoothing_factors(sample, w);
  double log_sum = 0;
  for (float s : found) log_sum += std::log(s);
  EXPECT_NEAR(log_sum / kK, 0, 1e-5);
  const auto noise = [&](const std::vector<float>& smooth) {
    double sum = output_error(rows, w, quantize_weights(w.as<float>(), kK, kN, smooth), smooth), weight_power = 0;
    for (int64_t k = 0; k < kK; ++k)
      for (int64_t c = 0; c < kN; ++c)
        weight_power += std::pow(w.as<float>()[static_cast<size_t>(k * kN + c)] * smooth[static_cast<size_t>(k)], 2) / kN;
    for (int64_t t = 0; t < rows.count(); ++t) {
      float low = 0, high = 0;
      for (int64_t k = 0; k < kK; ++k) {
        const float y = rows.data[static_cast<size_t>(t * kK + k)] / smooth[static_cast<size_t>(k)];
        low = std::min(low, y);
        high = std::max(high, y);
      }
      sum += std::pow((high - low) / 255, 2) / 12 * weight_power / static_cast<double>(rows.count());
    }
    return sum;
  };
  EXPECT_LT(noise(found), 0.98 * noise(rule));
}

}  // namespace

}  // namespace edgeconv::testing
