// The precision ladder with made-up accuracies, name patterns, layer measurements and smoothing on a small graph.
#include "convert/precision/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/quantize/layer_weights.h"
#include "convert/quantize/smoothing.h"
#include "convert/inputs/synthetic_inputs.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/precision/ladder_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

TEST(Ladder, StaysAtInt8WhenGood) {
  auto layers = some_layers(10);
  LowerOptions options;
  int evaluations = 0;
  choose_precision({}, {}, layers, options, [&](const LowerOptions&) { return ++evaluations, 0.9995; });
  EXPECT_EQ(evaluations, 1);
  EXPECT_EQ(with_precision(options, linear::kInt8), 10);
  EXPECT_TRUE(options.plan.int8_attention && options.plan.int8_tables);
}

// Good as soon as the three worst layers have 16-bit activations: the worst are lifted, the best stay.
TEST(Ladder, LiftsTheWorstFirst) {
  auto layers = some_layers(16);
  LowerOptions options;
  choose_precision({}, {}, layers, options, [&](const LowerOptions& o) {
    bool lifted = true;
    for (NodeId id = 0; id < 3; ++id) lifted &= o.plan.of(id).precision != linear::kInt8;
    return lifted ? 0.9999 : 0.99;
  });
  for (NodeId id = 0; id < 3; ++id) EXPECT_EQ(options.plan.of(id).precision, linear::kInt8A16) << id;
  EXPECT_EQ(options.plan.of(15).precision, linear::kInt8);
  EXPECT_EQ(with_precision(options, linear::kF32), 0);
  EXPECT_EQ(layers[0].precision, linear::kInt8A16);
}

// Any one lifted layer is enough: of the three noisiest only the small one stays lifted.
TEST(Ladder, LiftsTheCheapestThatSuffices) {
  auto layers = some_layers(24);
  for (NodeId id = 0; id < 2; ++id) layers[static_cast<size_t>(id)].n = 64;
  LowerOptions options;
  choose_precision({}, {}, layers, options,
                   [](const LowerOptions& o) { return with_precision(o, linear::kInt8A16) >= 1 ? 0.9999 : 0.99; });
  EXPECT_EQ(options.plan.of(2).precision, linear::kInt8A16);
  EXPECT_EQ(with_precision(options, linear::kInt8A16), 1);
  EXPECT_EQ(layers[2].precision, linear::kInt8A16) << "the report says what was chosen";
  EXPECT_EQ(layers[0].precision, linear::kInt8);
}

// Only the large layer helps, which the search by noise per multiplication does not find: the others are taken back.
TEST(Ladder, TakesBackWhatIsNotNeeded) {
  auto layers = some_layers(24);
  layers[0].n = 64;
  LowerOptions options;
  choose_precision({}, {}, layers, options,
                   [](const LowerOptions& o) { return o.plan.of(0).precision == linear::kInt8A16 ? 0.9999 : 0.99; });
  EXPECT_EQ(options.plan.of(0).precision, linear::kInt8A16);
  EXPECT_EQ(with_precision(options, linear::kInt8A16), 1);
}

// Outputs lose what their layers add, each its own amount: the true loss of a layer has little to do with its local noise.
class AdditiveLoss {
 public:
  explicit AdditiveLoss(size_t n) {
    for (size_t i = 0; i < n; ++i) loss_.push_back(1e-5 * static_cast<double>(1 + i * 7 % 11));
  }
  double operator()(const LowerOptions& o) const {
    double cosine = 1;
    for (const auto& [id, l] : o.plan.layers())
      cosine -= loss_[static_cast<size_t>(id)] * (l.precision == linear::kInt8 ? 1 : l.precision == linear::kInt8A16 ? 0.1 : 0);
    return cosine;
  }
  // The least work that reaches the gate with int8 and 16-bit activations, all layers being equally large: int8 for those that lose least.
  double least_slowdown(double gate) const {
    std::vector<double> sorted = loss_;
    std::sort(sorted.begin(), sorted.end());
    double cosine = 1;
    for (double l : sorted) cosine -= 0.1 * l;
    size_t down = 0;
    while (down < sorted.size() && cosine - 0.9 * sorted[down] >= gate) cosine -= 0.9 * sorted[down++];
    return 2 - static_cast<double>(down) / static_cast<double>(sorted.size());
  }

 private:
  std::vector<double> loss_;
};

// A gate of the user's: layers are measured one by one, and those that lose least per multiplication go down.
TEST(Ladder, MeasuredDescentFindsTheLeastWork) {
  constexpr size_t kLayers = 40;
  const AdditiveLoss loss(kLayers);
  for (const double gate : {0.9985, 0.9990, 0.9995, 0.99972}) {
    PrecisionRequest request;
    request.target_cosine = gate;
    double work[2];
    for (const bool measured : {false, true}) {
      request.measured = measured;
      auto layers = some_layers(kLayers);
      LowerOptions options;
      std::vector<LadderStep> trace;
      choose_precision(request, {}, layers, options, loss, &trace);
      EXPECT_GE(loss(options), gate);
      EXPECT_EQ(trace.back().int8 + trace.back().w8a16 + trace.back().fp32, static_cast<int>(kLayers));
      EXPECT_LE(trace.size(), 120u) << "every step converts and compares the whole model";
      work[measured] = slowdown(layers);
    }
    EXPECT_DOUBLE_EQ(work[true], loss.least_slowdown(gate)) << gate;
    EXPECT_LE(work[true], work[false]) << gate;
  }
}

// Where 16-bit activations do not suffice, fp32 stays only where it is needed.
TEST(Ladder, MeasuredDescentFromFp32) {
  constexpr size_t kLayers = 12;
  const AdditiveLoss loss(kLayers);
  PrecisionRequest request;
  request.measured = true;
  request.target_cosine = 0.99998;
  auto layers = some_layers(kLayers);
  LowerOptions options;
  choose_precision(request, {}, layers, options, loss);
  EXPECT_GE(loss(options), request.target_cosine);
  EXPECT_GT(with_precision(options, linear::kInt8A16), 2);
  EXPECT_GT(with_precision(options, linear::kF32), 2);
}

TEST(Ladder, DecisionsAreDeterministic) {
  for (const bool measured : {false, true}) {
    std::vector<LadderStep> first;
    std::vector<linear::Precision> chosen;
    for (int run = 0; run < 3; ++run) {
      PrecisionRequest request;
      request.measured = measured;
      request.target_cosine = 0.9993;
      auto layers = some_layers(24);
      // Equal noise and equal size: only the order of the layers is left to decide.
      for (LayerReport& l : layers) l.local_sqnr_db = 20;
      LowerOptions options;
      std::vector<LadderStep> trace;
      choose_precision(request, {}, layers, options, AdditiveLoss(24), &trace);
      std::vector<linear::Precision> now;
      for (const LayerReport& l : layers) now.push_back(l.precision);
      if (run == 0) first = trace, chosen = now;
      EXPECT_EQ(now, chosen);
      ASSERT_EQ(trace.size(), first.size());
      EXPECT_GT(trace.size(), 2u);
      for (size_t i = 0; i < trace.size(); ++i) {
        EXPECT_EQ(trace[i].int8, first[i].int8) << i;
        EXPECT_EQ(trace[i].worst_cosine, first[i].worst_cosine) << i;
      }
    }
  }
}

TEST(Ladder, ForcedModesDoNotEvaluate) {
  for (const auto& [mode, precision] :
       {std::pair(PrecisionMode::kInt8, linear::kInt8), std::pair(PrecisionMode::kW8A16, linear::kInt8A16),
        std::pair(PrecisionMode::kFp32, linear::kF32)}) {
    auto layers = some_layers(4);
    LowerOptions options;
    PrecisionRequest request;
    request.mode = mode;
    choose_precision(request, {}, layers, options,
                     [](const LowerOptions&) -> double { throw std::logic_error("must not be called"); });
    EXPECT_EQ(with_precision(options, precision), 4);
  }
}

TEST(Ladder, OverridesAreKept) {
  auto layers = some_layers(6);
  LowerOptions options;
  PrecisionRequest request;
  request.overrides = {{"/layer2/*", PrecisionMode::kFp32}, {"/layer3/*", PrecisionMode::kInt8}};
  choose_precision(request, {}, layers, options, [](const LowerOptions&) { return 0.5; });
  EXPECT_EQ(options.plan.of(3).precision, linear::kInt8) << "a layer fixed by the user does not climb";
  EXPECT_EQ(with_precision(options, linear::kF32), 5);
  LowerOptions good;
  choose_precision(request, {}, layers, good, [](const LowerOptions&) { return 1.0; });
  EXPECT_EQ(good.plan.of(2).precision, linear::kF32);
  EXPECT_EQ(with_precision(good, linear::kInt8), 5);
}

TEST(Ladder, SmoothingIsDroppedForFp32) {
  auto layers = some_layers(2);
  LowerOptions options;
  PrecisionRequest request;
  request.mode = PrecisionMode::kInt8;
  request.overrides = {{"*0*", PrecisionMode::kFp32}};
  choose_precision(request, {{0, {1, 2}}, {1, {1, 2}}}, layers, options, [](const LowerOptions&) { return 1.0; });
  EXPECT_TRUE(options.plan.of(1).smoothed);
}

TEST(GlobMatch, StarsAndQuestionMarks) {
  for (const auto& [pattern, text] : std::vector<std::pair<const char*, const char*>>{{"", ""},
                                                                                      {"*", ""},
                                                                                      {"*", "abc"},
                                                                                      {"a?c", "abc"},
                                                                                      {"*dense*", "/l/dense/MatMul"},
                                                                                      {"a*b*c", "aXbYbc"},
                                                                                      {"**a", "a"},
                                                                                      {"/enc/*/out", "/enc/layer.0/x/out"}})
    EXPECT_TRUE(glob_match(pattern, text)) << pattern << " " << text;
  for (const auto& [pattern, text] : std::vector<std::pair<const char*, const char*>>{
           {"", "a"}, {"?", ""}, {"a", "ab"}, {"a?c", "ac"}, {"*x", "xy"}, {"a*b*c", "acb"}, {"[ab]", "a"}})
    EXPECT_FALSE(glob_match(pattern, text)) << pattern << " " << text;
}

// Many stars against a long text: must not take exponential time.
TEST(GlobMatch, HostilePattern) {
  std::string pattern, text(5000, 'a');
  for (int i = 0; i < 50; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", text));
  EXPECT_TRUE(glob_match(pattern, text));
}

class SmoothingTest : public ::testing::Test {
 protected:
  SmoothingTest() {
    x = b.input("x", {DimExpr::symbol("batch"), 8});
    // One input channel is 100 times the others.
    const Tensor gain = Tensor::of<float>(DType::kFloat, {8}, {1, 1, 1, 100, 1, 1, 1, 1});
    y = b.node(OpKind::kLinear, {b.mul(x, b.constant(gain)), b.weights({8, 6}), kNone}, LinearAttrs{});
    b.output(y);
    finish(b.g);
    plan = plan_dims(b.g, {});
    inputs = {synthetic_inputs(b.g, plan, {})};
  }
  GraphBuilder b;
  ValueId x, y;
  DimPlan plan;
  std::vector<std::vector<Tensor>> inputs;
};

// Where there are too few rows to search on. So few rows say little of a channel that is small in all of them.
TEST_F(SmoothingTest, FactorsFollowTheRule) {
  LayerSamples samples = sample_layers(b.g, inputs);
  ASSERT_EQ(samples.size(), 1u);
  const NodeId id = samples.begin()->first;
  const std::vector<float>& amax = samples.begin()->second.amax;
  EXPECT_EQ(b.g.node(id).kind, OpKind::kLinear);
  ASSERT_EQ(amax.size(), 8u);
  EXPECT_GT(amax[3], 20 * amax[0]);
  samples.at(id).rows[0].data.resize(8 * 31);
  const std::vector<float> smooth = smoothing_factors(samples.at(id), *b.g.value(b.g.node(id).in(1)).constant);
  const auto weight = b.g.value(b.g.node(id).in(1)).constant->to_float();
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

TEST_F(SmoothingTest, RaisesTheSignalToNoiseRatio) {
  WeightStore store;
  const auto plain = measure_layers(b.g, sample_layers(b.g, inputs), {}, store);
  const QuantizedLayers layers = quantize_layers(b.g, inputs, {}, kInt8Steps, store);
  const auto smoothed = measure_layers(b.g, layers.samples, layers.smooth, store);
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].k, 8);
  EXPECT_EQ(plain[0].n, 6);
  EXPECT_GT(plain[0].local_sqnr_db, 20);
  EXPECT_LT(plain[0].local_sqnr_db, 80);
  ASSERT_EQ(smoothed.size(), 1u);
  EXPECT_GT(smoothed[0].local_sqnr_db, 20);
}

TEST_F(SmoothingTest, SyntheticInputsAreFixedAndFit) {
  const auto again = synthetic_inputs(b.g, plan, {}), other = synthetic_inputs(b.g, plan, {32, 32, false, 2});
  EXPECT_TRUE(inputs[0][0].same_bytes(again[0]));
  EXPECT_FALSE(inputs[0][0].same_bytes(other[0]));
  double sum = 0, squares = 0;
  for (float v : inputs[0][0].to_float()) {
    sum += v;
    squares += double{v} * v;
  }
  const double n = static_cast<double>(inputs[0][0].elements());
  EXPECT_NEAR(sum / n, 0, 0.1);
  EXPECT_NEAR(squares / n, 1, 0.15);
}

}  // namespace

}  // namespace edgeconv::testing
