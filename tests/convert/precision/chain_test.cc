// Links of a chain of networks: what counts as features for another one, and as a head that reads them.
#include "convert/precision/chain.h"

#include <gtest/gtest.h>

#include "convert/precision/free_lifts.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/precision/search_layers.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

DimPlan with_kind(const GraphBuilder& b, InputKind kind) {
  DimPlan dims;
  dims.kinds[b.g.inputs[0]] = {kind};
  return dims;
}

ValueId convolution(GraphBuilder& b) {
  ConvAttrs a;
  a.kernel = {3, 3};
  a.strides = a.dilations = {1, 1};
  a.pads = {0, 0, 0, 0};
  return b.node(OpKind::kConv, {b.input("mel", {1, 1, 12, 8}), b.weights({4, 1, 3, 3})}, a);
}

TEST(Chain, ConvolutionsOverSoundGiveFeatures) {
  GraphBuilder b;
  const ValueId y = convolution(b);
  b.output(b.reshape(b.unary(Unary::kRelu, y), {1, 4, 60}));
  finish(b.g);
  EXPECT_TRUE(gives_features(b.g, with_kind(b, InputKind::kField)));
  EXPECT_TRUE(gives_features(b.g, with_kind(b, InputKind::kSpectrum)));
  EXPECT_FALSE(gives_features(b.g, with_kind(b, InputKind::kImage)));
  EXPECT_FALSE(gives_features(b.g, DimPlan{})) << "inputs that nothing is known of";
}

TEST(Chain, AClassifierGivesNoFeatures) {
  GraphBuilder b;
  const ValueId flat = b.reshape(convolution(b), {1, 240});
  b.output(b.matmul(flat, b.weights({240, 3})));
  finish(b.g);
  EXPECT_FALSE(gives_features(b.g, with_kind(b, InputKind::kSpectrum)));
}

TEST(Chain, AProbabilityOfSoundIsNoFeature) {
  GraphBuilder b;
  b.output(b.unary(Unary::kSigmoid, convolution(b)));
  finish(b.g);
  EXPECT_FALSE(gives_features(b.g, with_kind(b, InputKind::kSpectrum)));
}

TEST(Chain, AHeadDecidesByWindowsOfFeatures) {
  GraphBuilder b;
  const ValueId x = b.reshape(b.input("x", {1, 16, 96}), {1, 1536});
  b.output(b.unary(Unary::kSigmoid, b.matmul(x, b.weights({1536, 1}))));
  finish(b.g);
  EXPECT_TRUE(reads_features(b.g, with_kind(b, InputKind::kWindow)));
  EXPECT_FALSE(reads_features(b.g, with_kind(b, InputKind::kSpectrum)));
  b.output(x);
  EXPECT_FALSE(reads_features(b.g, with_kind(b, InputKind::kWindow))) << "not all outputs are decisions";
}

// openwakeword's embedding: 36 dB on speech moved the score of a wake word by .29, fp32 takes 1.1 times as long as int8.
TEST(Chain, FeaturesAreExactWhereThatTakesLessThanTwiceTheTime) {
  auto layers = some_layers(4);
  for (LayerSensitivity& l : layers) l.k = 288, l.n = 48;
  const std::vector<double> loss(4, 2e-5);
  SearchProblem problem = problem_of(layers, [&](const PrecisionPlan& p) { return added_loss(loss, p); });
  const auto chosen = [&] { return with_free_lifts(problem, problem.asked.plan, problem.loss(problem.asked.plan)); };
  EXPECT_EQ(chosen(), problem.asked.plan) << "nobody reads them";
  problem.gives_features = true;
  EXPECT_EQ(chosen().count(linear::kF32), 4);
  for (LayerSensitivity& l : layers) l.k = l.n = 384;
  EXPECT_EQ(chosen(), problem.asked.plan) << "fp32 takes 3.4 times as long";
}

}  // namespace

}  // namespace edgeconv::testing
