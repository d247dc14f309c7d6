// The error of layers alone: with smoothing and without, and which layer comes first.
#include "convert/precision/sensitivity.h"

#include <gtest/gtest.h>

#include "convert/quantize/layer_weights.h"
#include "convert/quantize/smoothing.h"
#include "tests/convert/quantize/outlier_graph.h"

namespace edgeconv::testing {

namespace {

TEST(Sensitivity, OfALayerWithAndWithoutSmoothing) {
  const OutlierGraph o;
  WeightStore store;
  const auto plain = measure_sensitivity(o.b.g, sample_layers(o.b.g, o.inputs), {}, store);
  const QuantizedLayers layers = quantize_layers(o.b.g, o.inputs, {}, kInt8Steps, store);
  const auto smoothed = measure_sensitivity(o.b.g, layers.samples, layers.smooth, store);
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].k, 8);
  EXPECT_EQ(plain[0].n, 6);
  EXPECT_EQ(plain[0].macs(), 48);
  EXPECT_FALSE(plain[0].smoothed);
  EXPECT_GT(plain[0].local_sqnr_db, 20);
  EXPECT_LT(plain[0].local_sqnr_db, 80);
  ASSERT_EQ(smoothed.size(), 1u);
  EXPECT_TRUE(smoothed[0].smoothed);
  EXPECT_GT(smoothed[0].local_sqnr_db, 20);
}

// A weight with one huge element in each column leaves few of the 8 bits to the others.
TEST(Sensitivity, TheNoisiestLayerComesFirst) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8});
  std::vector<float> even(8 * 4), uneven(8 * 4);
  for (size_t i = 0; i < even.size(); ++i) {
    even[i] = static_cast<float>(i * 7 % 11) - 5.3f;
    uneven[i] = i < 4 ? 300.0f : even[i];
  }
  // The huge elements meet an input that is zero: they cost steps, and add nothing to the signal.
  const Tensor gain = Tensor::of<float>(DType::kFloat, {8}, {0, 1, 1, 1, 1, 1, 1, 1});
  const ValueId y = b.mul(x, b.constant(gain));
  const ValueId good =
      b.node(OpKind::kLinear, {y, b.constant(Tensor::of<float>(DType::kFloat, {8, 4}, even)), kNone}, LinearAttrs{});
  const ValueId bad =
      b.node(OpKind::kLinear, {y, b.constant(Tensor::of<float>(DType::kFloat, {8, 4}, uneven)), kNone}, LinearAttrs{});
  b.output(good);
  b.output(bad);
  finish(b.g);
  WeightStore store;
  const auto inputs = synthetic_inputs(b.g, plan_dims(b.g, {}), {});
  const auto layers = measure_sensitivity(b.g, sample_layers(b.g, {inputs}), {}, store);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(&b.g.node(layers[0].node), b.g.producer(bad));
  EXPECT_LT(layers[0].local_sqnr_db + 10, layers[1].local_sqnr_db);
}

}  // namespace

}  // namespace edgeconv::testing
