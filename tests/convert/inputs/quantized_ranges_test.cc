// Made-up inputs of statically quantized files have the ranges that these files round their inputs to.
#include "convert/inputs/quantized_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/inputs/inputs_text.h"
#include "convert/inputs/synthetic_inputs.h"
#include "convert/inputs/value_range.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

ValueId quantized(GraphBuilder& b, ValueId v, float scale, int zero, DType t = DType::kUint8) {
  return b.node(OpKind::kQuantizeLinear, {v, b.scalar(scale), b.constant(Tensor::of<int64_t>(DType::kInt64, {}, {zero}).cast(t))}, QuantAttrs{1, 0, t});
}

// Was: smart-turn, which reads logarithms of a spectrum between -0.27 and 2.18, was judged on spectra of -3 to 20, of which it clips nearly all.
TEST(QuantizedRanges, AreThoseOfTheFirstRoundings) {
  GraphBuilder b;
  const ValueId x = b.input("mel", {B, 80, 24}), both = b.input("both", {B, 4}), plain = b.input("plain", {B, 4});
  b.output(quantized(b, b.transpose(x, {0, 2, 1}), 0.02f, 100));
  b.output(quantized(b, both, 0.02f, 100)), b.output(b.unary(Unary::kTanh, both));
  b.output(b.unary(Unary::kTanh, plain));
  finish(b.g);
  DimPlan dims = plan_dims(b.g, {});
  take_quantized_ranges(b.g, b.g, dims);
  ASSERT_EQ(dims.rounded_to.size(), 1u) << "nothing is known of what something else reads too";
  EXPECT_NEAR(dims.rounded_to.at(x).first, -2, 1e-6);
  EXPECT_NEAR(dims.rounded_to.at(x).second, 3.1, 1e-6);
  ASSERT_EQ(dims.kinds.at(x).kind, InputKind::kSpectrum);
  EXPECT_NE(made_up_text(b.g, dims, 1).find("of -2 to 3.1, as the file rounds it"), std::string::npos) << made_up_text(b.g, dims, 1);
  const std::vector<float> spectra = synthetic_inputs(b.g, dims, {4, 32})[0].to_float();
  const auto [low, high] = std::minmax_element(spectra.begin(), spectra.end());
  EXPECT_NEAR(*low, -2, 1e-3);
  EXPECT_GT(*high, 2);
  EXPECT_LE(*high, 3.1f);
}

TEST(QuantizedRanges, OtherRangesOfOneInputTellNothing) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 4}), same = b.input("same", {B, 4});
  b.output(quantized(b, x, 0.02f, 100)), b.output(quantized(b, x, 0.01f, 100));
  b.output(quantized(b, same, 0.01f, 0, DType::kInt8)), b.output(quantized(b, same, 0.01f, 0, DType::kInt8));
  finish(b.g);
  DimPlan dims = plan_dims(b.g, {});
  take_quantized_ranges(b.g, b.g, dims);
  EXPECT_EQ(dims.rounded_to.count(x), 0u);
  EXPECT_EQ(dims.rounded_to.count(same), 1u);
}

TEST(QuantizedRanges, SoundKeepsItsLevelsAndFeaturesLieAboutTheMiddle) {
  std::vector<Tensor> sound{Tensor::of<float>(DType::kFloat, {2, 2}, {0.5f, -1, 0.001f, 0})};
  bring_into_range(InputKind::kWaveform, {-2, 1.5f}, 1, sound);
  EXPECT_EQ(sound[0].to_float(), (std::vector<float>{1, -2, 0.002f, 0}));
  std::vector<Tensor> features{Tensor::of<float>(DType::kFloat, {1, 4}, {0, 3, -3, 6})}, positive{Tensor::of<float>(DType::kFloat, {1, 3}, {-1.5f, 3, 9})};
  bring_into_range(InputKind::kFeatures, {2, 6}, 1, features);
  EXPECT_EQ(features[0].to_float(), (std::vector<float>{4, 6, 2, 6}));
  bring_into_range(InputKind::kFeatures, {0, 6}, 1, positive);
  EXPECT_EQ(positive[0].to_float(), (std::vector<float>{3, 6, 6}));
}

}  // namespace

}  // namespace edgeconv::testing
