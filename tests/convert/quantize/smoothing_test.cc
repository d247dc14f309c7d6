// Smoothing factors where there are too few rows to search on.
#include "convert/quantize/smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/convert/quantize/outlier_graph.h"

namespace edgeconv::testing {

namespace {

// So few rows say little of a channel that is small in all of them.
TEST(Smoothing, FactorsFollowTheRule) {
  const OutlierGraph o;
  const Graph& g = o.b.g;
  LayerSamples samples = sample_layers(g, o.inputs);
  ASSERT_EQ(samples.size(), 1u);
  const NodeId id = samples.begin()->first;
  const std::vector<float>& amax = samples.begin()->second.amax;
  EXPECT_EQ(g.node(id).kind, OpKind::kLinear);
  ASSERT_EQ(amax.size(), 8u);
  EXPECT_GT(amax[3], 20 * amax[0]);
  samples.at(id).rows[0].data.resize(8 * 31);
  const std::vector<float> smooth = smoothing_factors(samples.at(id), *g.value(g.node(id).in(1)).constant);
  const auto weight = g.value(g.node(id).in(1)).constant->to_float();
  const float top = *std::max_element(amax.begin(), amax.end());
  double log_sum = 0;
  std::vector<double> expected;
  for (size_t k = 0; k < 8; ++k) {
    float wmax = 0;
    for (size_t c = 0; c < 6; ++c) wmax = std::fmax(wmax, std::fabs(weight[k * 6 + c]));
    expected.push_back(std::sqrt(std::fmax(amax[k], top / 31) / wmax));
    log_sum += std::log(expected.back()) / 8;
  }
  for (size_t k = 0; k < 8; ++k) EXPECT_NEAR(smooth[k], expected[k] / std::exp(log_sum), 1e-4 * expected[k]);
}

// Inputs of convolutions that share ranges are smoothed before they are patches: all positions of a channel have one factor.
TEST(Smoothing, TiedFactorsRepeat) {
  const OutlierGraph o;
  LayerSamples samples = sample_layers(o.b.g, o.inputs);
  const NodeId id = samples.begin()->first;
  const Tensor& weight = *o.b.g.value(o.b.g.node(id).in(1)).constant;
  const std::vector<float> apart = smoothing_factors(samples.at(id), weight, kInt8Steps);
  const std::vector<float> tied = smoothing_factors(samples.at(id), weight, kInt8Steps, 4);
  ASSERT_EQ(tied.size(), 8u);
  EXPECT_NE(apart[3], apart[7]);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(tied[k], tied[k + 4]);
    EXPECT_NEAR(tied[k], std::sqrt(apart[k] * apart[k + 4]), 1e-4 * tied[k]);
  }
}

// A position that was always zero, as those of a small map that mostly meet its padding, left the others of its channel with another factor: the
// convolution then quantized every patch by itself.
TEST(Smoothing, TiedFactorsRepeatWhereAPositionIsUnused) {
  const OutlierGraph o;
  LayerSamples samples = sample_layers(o.b.g, o.inputs);
  const NodeId id = samples.begin()->first;
  LayerSample& sample = samples.at(id);
  sample.amax[5] = 0;
  for (size_t i = 5; i < sample.rows[0].data.size(); i += 8) sample.rows[0].data[i] = 0;
  const std::vector<float> tied = smoothing_factors(sample, *o.b.g.value(o.b.g.node(id).in(1)).constant, kInt8Steps, 4);
  ASSERT_EQ(tied.size(), 8u);
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(tied[k], tied[k + 4]) << k;
}

// GELU leaves next to nothing of what the sample has far below zero. Real inputs of other kinds wake such a channel: divided by a factor of its size it
// drowned all others of its row, and results were zeros. An outlier is no reason to take the others for hardly seen.
TEST(Smoothing, AChannelThatIsHardlySeenKeepsItsSize) {
  const OutlierGraph o;
  LayerSamples samples = sample_layers(o.b.g, o.inputs);
  const NodeId id = samples.begin()->first;
  LayerSample& sample = samples.at(id);
  const Tensor& weight = *o.b.g.value(o.b.g.node(id).in(1)).constant;
  const auto scale = [&](size_t channel, float by) {
    sample.amax[channel] *= by;
    for (size_t i = channel; i < sample.rows[0].data.size(); i += 8) sample.rows[0].data[i] *= by;
  };
  scale(5, 0x1p-20f);
  EXPECT_EQ(smoothing_factors(sample, weight, kInt8Steps)[5], 1.0f);
  scale(5, 0x1p20f);
  scale(3, 0x1p14f);
  const std::vector<float> smooth = smoothing_factors(sample, weight, kInt8Steps);
  for (size_t k = 0; k < 8; ++k) {
    EXPECT_NE(smooth[k], 1.0f) << k;
    if (k != 3) {
      EXPECT_GT(smooth[3], 16 * smooth[k]) << k;
    }
  }
}

// A feature in small units whose weights make up for it (a fraction beside pressures) counts as much as the others. With factor 1 its weights were a
// thousand times all others, which became zeros in 8 bits: cosine .26.
TEST(Smoothing, AChannelInSmallUnitsIsSmoothedLikeOthers) {
  const OutlierGraph o;
  LayerSamples samples = sample_layers(o.b.g, o.inputs);
  const NodeId id = samples.begin()->first;
  LayerSample& sample = samples.at(id);
  ASSERT_GE(sample.rows[0].count(), 256) << "a few rows are told nothing of";
  Tensor weight = *o.b.g.value(o.b.g.node(id).in(1)).constant;
  const std::vector<float> before = smoothing_factors(sample, weight, kInt8Steps);
  const size_t n = static_cast<size_t>(weight.dims()[1]);
  sample.amax[5] *= 0x1p-11f;
  for (size_t i = 5; i < sample.rows[0].data.size(); i += 8) sample.rows[0].data[i] *= 0x1p-11f;
  for (size_t c = 0; c < n; ++c) weight.mut<float>()[5 * n + c] *= 0x1p11f;
  const std::vector<float> smooth = smoothing_factors(sample, weight, kInt8Steps);
  const float least = 0x1p-10f;  // that any factor may be
  EXPECT_NEAR(smooth[5], std::max(least, smooth[0] * before[5] / before[0] * 0x1p-11f), 0.05f * least);
}

}  // namespace

}  // namespace edgeconv::testing
