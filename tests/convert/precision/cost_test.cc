// Work and bytes of a plan, and when it fits a budget.
#include "convert/precision/cost.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

PrecisionPlan plan_of(const std::vector<Precision>& precisions) {
  PrecisionPlan plan;
  for (size_t i = 0; i < precisions.size(); ++i) plan.set(static_cast<NodeId>(i), precisions[i]);
  return plan;
}

TEST(Slowdown, CountsMultiplicationsByTheirPrecision) {
  auto layers = some_layers(3);
  layers[2].n = 16;  // twice as many
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8, linear::kInt8, linear::kInt8})), 1);
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8A16, linear::kF32, linear::kInt8})), (2 + 4 + 2) / 4.0);
  EXPECT_DOUBLE_EQ(slowdown(layers, plan_of({linear::kInt8, linear::kInt8, linear::kF32})), (1 + 1 + 8) / 4.0);
  EXPECT_DOUBLE_EQ(slowdown(layers, {}), kF32Work) << "what no plan speaks of is fp32";
  EXPECT_DOUBLE_EQ(slowdown({}, {}), 1);
}

LayerSensitivity layer(int64_t k, int64_t n, double rows = 1) {
  LayerSensitivity l{0, "/l", k, n, 30};
  l.rows = rows;
  return l;
}

double fp32_times_of_int8(int64_t k, int64_t n) {
  return time_of(layer(k, n), linear::kF32) / time_of(layer(k, n), linear::kInt8);
}

// Measured: .39, 1.35, 1.93 and 3.82 on AVX512-VNNI.
TEST(TimeOf, QuantizingCostsMoreThanFewWeightsSave) {
  EXPECT_LT(fp32_times_of_int8(9, 24), 0.5);
  EXPECT_NEAR(fp32_times_of_int8(72, 48), 1.35, 0.2);
  EXPECT_NEAR(fp32_times_of_int8(96, 96), 1.93, 0.2);
  EXPECT_NEAR(fp32_times_of_int8(384, 1536), 3.82, 0.2);
  EXPECT_GT(time_of(layer(96, 96), linear::kInt8A16), time_of(layer(96, 96), linear::kInt8));
  EXPECT_LT(time_of(layer(384, 1536), linear::kInt8A16), 2 * time_of(layer(384, 1536), linear::kInt8));
}

// The first convolution of a keyword spotter: four values side by side, ten times. Measured: 1.52 of int8 on AVX512-VNNI, .90 on AVX2.
TEST(TimeOf, TwelveBitsOfPatchesThatArePutTogetherTakeAsLongAsInt8) {
  LayerSensitivity spotter = layer(40, 64);
  spotter.fresh_share = 0.1;
  EXPECT_LT(time_of(spotter, linear::kW12A13), 0.8 * time_of(spotter, linear::kInt8));
  spotter.wide_patches = true;
  EXPECT_NEAR(time_of(spotter, linear::kW12A13) / time_of(spotter, linear::kInt8), 1, 0.05);
}

// Measured: 1.58, 2.31, 2.75 and 3.30 on AVX512-VNNI where patches of 3 x 3 quantize 18 columns for 16 times 3.
TEST(TimeOf, NeighboursThatShareWhatTheyQuantizeMakeInt8Quicker) {
  const auto fp32_times = [](int64_t channels, int64_t n) {
    LayerSensitivity shared = layer(9 * channels, n);
    shared.quantized_share = 18.0 / 48;
    EXPECT_GT(time_of(shared, linear::kInt8A16), time_of(shared, linear::kInt8)) << "with 16 bits every patch has its own range";
    return time_of(shared, linear::kF32) / time_of(shared, linear::kInt8);
  };
  EXPECT_NEAR(fp32_times(16, 16), 1.58, 0.3);
  EXPECT_NEAR(fp32_times(24, 48), 2.31, 0.3);
  EXPECT_NEAR(fp32_times(64, 64), 2.75, 0.3);
  EXPECT_NEAR(fp32_times(96, 96), 3.30, 0.3);
  EXPECT_LT(fp32_times_of_int8(9 * 16, 16), 1) << "patches of their own";
}

TEST(CountRows, ConvolutionsWhosePatchesOverlapQuantizeLess) {
  const auto share = [](std::vector<int64_t> kernel, std::vector<int64_t> strides, int64_t channels) {
    GraphBuilder b;
    PatchesAttrs a;
    a.window = {kernel, strides, {1, 1}, {0, 0}, {0, 0}};
    a.channels = channels;
    const ValueId patches = b.node(OpKind::kPatches, {b.input("x", {1, 33, 33, channels})}, a);
    const ValueId y = b.node(OpKind::kLinear, {patches, b.weights({kernel[0] * kernel[1] * channels, 16}), kNone}, LinearAttrs{});
    b.output(y);
    finish(b.g);
    std::vector<LayerSensitivity> layers = {layer(kernel[0] * kernel[1] * channels, 16)};
    layers[0].node = b.g.value(y).producer;
    count_rows(b.g, DimPlan{}, layers);
    return layers[0].quantized_share;
  };
  EXPECT_DOUBLE_EQ(share({3, 3}, {1, 1}, 8), 18.0 / 48);
  EXPECT_DOUBLE_EQ(share({3, 3}, {2, 2}, 8), 33.0 / 48);
  EXPECT_DOUBLE_EQ(share({3, 1}, {1, 1}, 8), 1) << "no overlap in a row";
  EXPECT_DOUBLE_EQ(share({3, 3}, {1, 1}, 3), 1) << "channels do not come in fours";
}

TEST(CountRows, TwelveBitsPutShortRunsTogether) {
  const auto wide_patches = [](Shape x, std::vector<int64_t> kernel, int64_t dilation, int64_t channels) {
    GraphBuilder b;
    PatchesAttrs a;
    const size_t axes = kernel.size();
    a.window = {kernel, std::vector<int64_t>(axes, 1), std::vector<int64_t>(axes, dilation), std::vector<int64_t>(axes, 0), std::vector<int64_t>(axes, 0)};
    a.channels = channels;
    int64_t k = channels;
    for (const int64_t size : kernel) k *= size;
    const ValueId y = b.node(OpKind::kLinear, {b.node(OpKind::kPatches, {b.input("x", x)}, a), b.weights({k, 16}), kNone}, LinearAttrs{});
    b.output(y);
    finish(b.g);
    std::vector<LayerSensitivity> layers = {layer(k, 16)};
    layers[0].node = b.g.value(y).producer;
    count_rows(b.g, DimPlan{}, layers);
    return layers[0].wide_patches;
  };
  EXPECT_TRUE(wide_patches({1, 49, 10, 1}, {10, 4}, 1, 1));
  EXPECT_FALSE(wide_patches({1, 33, 33, 3}, {3, 3}, 1, 3)) << "nine values side by side";
  EXPECT_TRUE(wide_patches({1, 33, 33, 3}, {3, 3}, 2, 3));
  EXPECT_FALSE(wide_patches({1, 33, 33, 1}, {1, 3}, 1, 1)) << "they stand in the map";
  EXPECT_FALSE(wide_patches({1, 33, 1}, {3}, 1, 1));
  EXPECT_TRUE(wide_patches({1, 33, 8}, {3}, 1, 4)) << "channels of a group";
  EXPECT_FALSE(wide_patches({1, 33, 33, 8}, {1, 1}, 1, 4)) << "of one place";
}

TEST(CountRows, PositionsOfAConvolutionAreRowsAndRunsAreTheLargest) {
  GraphBuilder b;
  const Shape x = {DimExpr::symbol("batch"), 5, 7, 9};
  const ValueId y = b.node(OpKind::kLinear, {b.input("x", x), b.weights({9, 24}), kNone}, LinearAttrs{});
  b.output(y);
  finish(b.g);
  std::vector<LayerSensitivity> layers = {layer(9, 24)};
  layers[0].node = b.g.value(y).producer;
  DimPlan dims;
  dims.range["batch"] = {1, 8};
  count_rows(b.g, dims, layers);
  EXPECT_EQ(layers[0].rows, 8 * 5 * 7);
  EXPECT_EQ(layers[0].macs(), 8 * 5 * 7 * 9 * 24);
}

TEST(FreeLayers, SmallOnesThatAreAsQuickInFp32BecomeSo) {
  std::vector<LayerSensitivity> layers = {layer(9, 24, 1000), layer(288, 96, 10), layer(27, 2, 10)};
  for (size_t i = 0; i < layers.size(); ++i) layers[i].node = static_cast<NodeId>(i);
  AskedPlan asked = asked_plan({}, layers);
  asked.fixed[2] = 1;  // by the user
  EXPECT_EQ(set_free_layers(layers, asked), (std::vector<char>{1, 0, 0}));
  EXPECT_EQ(asked.plan.of(0).precision, linear::kF32);
  EXPECT_EQ(asked.plan.of(1).precision, linear::kInt8);
  EXPECT_EQ(asked.plan.of(2).precision, linear::kInt8);
  EXPECT_EQ(asked.fixed, (std::vector<char>{1, 0, 1}));
  layers.pop_back();
  layers[1] = layer(9, 24);
  layers[1].node = 1;
  AskedPlan tiny = asked_plan({}, layers);
  set_free_layers(layers, tiny);
  EXPECT_EQ(tiny.plan.count(linear::kF32), 0) << "a model of nothing else would be four times as large";
}

// onnx-asr's resamplers are one filter over each sample: quantizing took .6 of the time.
TEST(FreeLayers, OfASmallModelAFewHundredWeightsAreFreeWhereTheyAreSlowInInt8) {
  std::vector<LayerSensitivity> layers = {layer(28, 1, 24000), layer(27, 10, 9000), layer(90, 16, 1000), layer(72, 4, 63), layer(16, 2, 1000)};
  for (size_t i = 0; i < layers.size(); ++i) layers[i].node = static_cast<NodeId>(i), layers[i].fresh_share = i < 4 ? 0.3 : 1;
  AskedPlan asked = asked_plan({}, layers);
  EXPECT_EQ(set_free_layers(layers, asked, kFewOfAny), (std::vector<char>{1, 1, 0, 0, 0})) << "one has too few rows, one is no convolution";
  AskedPlan scarce = asked_plan({}, layers);
  EXPECT_EQ(set_free_layers(layers, scarce), (std::vector<char>{0, 0, 0, 0, 0})) << "where bytes are scarce";
}

// A classifier behind ResNet-8, noisiest and so first in the list, took the place of its first convolution, which then read 27 values 1024 times.
TEST(FreeLayers, ThoseThatSaveMostTimeComeFirst) {
  std::vector<LayerSensitivity> layers = {layer(64, 10, 1), layer(27, 16, 1024), layer(576, 128, 64)};
  for (size_t i = 0; i < layers.size(); ++i) layers[i].node = static_cast<NodeId>(i);
  AskedPlan asked = asked_plan({}, layers);
  EXPECT_EQ(set_free_layers(layers, asked), (std::vector<char>{0, 1, 0}));
}

TEST(PlanCost, WithoutABudgetEverythingFitsAndNoBytesAreAsked) {
  const auto layers = some_layers(2);
  const PlanCost cost(layers, {}, [](const PrecisionPlan&) -> uint64_t { throw std::logic_error("must not be called"); });
  EXPECT_TRUE(cost.fits({}));
  EXPECT_EQ(cost.bytes({}), 0u);
}

TEST(PlanCost, BothLimitsHoldAndExceededWorkAsksForNoBytes) {
  const auto layers = some_layers(2);
  int asked = 0;
  const PlanCost cost(layers, {1.5, 100}, [&](const PrecisionPlan& plan) -> uint64_t {
    ++asked;
    return plan.int8_tables ? 100 : 101;
  });
  PrecisionPlan plan = plan_of({linear::kInt8, linear::kInt8A16});
  EXPECT_TRUE(cost.fits(plan)) << "a limit may be reached";
  plan.int8_tables = false;
  EXPECT_FALSE(cost.fits(plan));
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(cost.fits(plan_of({linear::kInt8A16, linear::kInt8A16})));
  EXPECT_EQ(asked, 2) << "they take a lowering";
}

}  // namespace

}  // namespace edgeconv::testing
