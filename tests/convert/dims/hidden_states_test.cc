// How large made-up hidden states are.
#include "convert/dims/hidden_states.h"

#include <gtest/gtest.h>

#include <cmath>

#include "convert/inputs/synthetic_inputs.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kWidth = 32;

ValueId level(GraphBuilder& b, float value) {
  Tensor t(DType::kFloat, {kWidth});
  for (float& w : t.mut<float>()) w = value;
  return b.constant(t);
}

// T5's norm: x / sqrt(mean(x x)) * weights.
ValueId rms_norm(GraphBuilder& b, ValueId x, float weights) {
  const ValueId root = b.pow(b.mean(b.mul(x, x)), b.scalar(0.5f));
  return b.mul(level(b, weights), b.div(x, root));
}

// Three norms behind ids, and an input that is no part of them.
DimPlan plan_of(GraphBuilder& b, const std::string& name, float weights, bool layer_norm = false) {
  const Shape shape = {DimExpr::symbol("batch"), DimExpr::symbol("time"), kWidth};
  const ValueId states = b.input(name, shape);
  ValueId x = b.input("x", shape);
  for (const float factor : {0.5f, 1.0f, 4.0f})
    x = layer_norm ? b.node(OpKind::kLayerNormalization, {x, level(b, factor * weights), level(b, 0)}, NormAttrs{-1, 1e-5f})
                   : rms_norm(b, x, factor * weights);
  b.output(b.add(x, b.matmul(states, b.weights({kWidth, kWidth}))));
  finish(b.g);
  return plan_dims(b.g, {});
}

double rows_level(const GraphBuilder& b, const DimPlan& plan) {
  const Tensor t = synthetic_inputs(b.g, plan, {})[0];
  double squares = 0;
  for (const float v : t.as<float>()) squares += double{v} * v;
  return std::sqrt(squares / static_cast<double>(t.elements()));
}

// A T5 decoder was given states eight times as large as its encoder gives: int8 had cosine .69 there and .9995 on text, and stayed in fp32.
TEST(HiddenStates, AreAsLargeAsTheMiddleNormMakesThem) {
  GraphBuilder rms, layer;
  EXPECT_NEAR(rows_level(rms, plan_of(rms, "encoder_hidden_states", 0.125f)), 0.125, 0.005);
  EXPECT_NEAR(rows_level(layer, plan_of(layer, "encoder_hidden_states", 0.25f, true)), 0.25, 0.01);
}

TEST(HiddenStates, OtherFeaturesAndOrdinaryNormsKeepStandardNormal) {
  GraphBuilder other, ordinary, bare;
  EXPECT_TRUE(plan_of(other, "tgt", 0.125f).levels.empty());
  EXPECT_NEAR(rows_level(other, plan_dims(other.g, {})), 1, 0.03);
  EXPECT_TRUE(plan_of(ordinary, "encoder_hidden_states", 0.9f).levels.empty());
  bare.output(bare.matmul(bare.input("encoder_hidden_states", {DimExpr::symbol("batch"), 5, kWidth}), bare.weights({kWidth, 4})));
  finish(bare.g);
  EXPECT_TRUE(plan_dims(bare.g, {}).levels.empty());
}

}  // namespace

}  // namespace edgeconv::testing
