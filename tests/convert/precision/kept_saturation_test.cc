// Which of the values that a statically quantized file clips are clipped in what is converted.
#include "convert/precision/kept_saturation.h"

#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

// x [B, 4] through pairs of QuantizeLinear and DequantizeLinear.
struct QuantizedFile {
  GraphBuilder b;
  ValueId x = b.input("x", {B, 4});
  Graph as_is;
  SourceRounding found;

  ValueId pair(ValueId v, float scale, int zero, DType t = DType::kUint8) {
    const ValueId s = b.scalar(scale), z = b.constant(Tensor::of<int64_t>(DType::kInt64, {}, {zero}).cast(t));
    return b.node(OpKind::kDequantizeLinear, {b.node(OpKind::kQuantizeLinear, {v, s, z}, QuantAttrs{1, 0, t}), s, z}, QuantAttrs{});
  }
  // The outputs that are converted, for values of x; the graph is found for the same.
  std::vector<Tensor> converted(const std::vector<float>& values) {
    finish(b.g);
    as_is = b.g;
    Diagnostics d;
    run_quantized_import(b.g, d);
    EXPECT_TRUE(d.ok());
    const std::vector<Tensor> inputs{Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(values.size()) / 4, 4}, values)};
    found = keep_saturation(as_is, b.g, {}, {inputs});
    EXPECT_EQ(count(b.g, OpKind::kQuantizeLinear), 0);
    return interpret(b.g, inputs);
  }
  int bounds(binary::Kind kind) const {
    int n = 0;
    for (const Node& node : b.g.nodes) n += !node.dead && node.kind == OpKind::kBinary && node.as<BinaryAttrs>().kind == kind;
    return n;
  }
};

using Floats = std::vector<float>;

// Was left out: activations of 5 behind a range that ends at 2.54 were 5 in the blob, and 2.54 in ONNX Runtime.
TEST(KeptSaturation, AZeroPointInTheMiddleClipsAtBothEnds) {
  QuantizedFile f;
  f.b.output(f.pair(f.x, 0.02f, 128));
  const Floats y = f.converted({5, -5, 1, -1})[0].to_float();
  EXPECT_EQ(f.found.clipped, 1);
  EXPECT_NEAR(y[0], 2.54f, 1e-6);
  EXPECT_NEAR(y[1], -2.56f, 1e-6);
  EXPECT_EQ(y[2], 1);
  ASSERT_EQ(f.found.errors.size(), 1u);
  EXPECT_GT(f.found.errors[0].cosine, 0.99999) << "but for the rounding it is what the file gives";
}

TEST(KeptSaturation, OneEndThatCountsIsOneBound) {
  QuantizedFile f;
  f.b.output(f.pair(f.x, 0.02f, 128));
  f.converted({5, -1, 1, -1});
  EXPECT_EQ(f.bounds(binary::kMin), 1);
  EXPECT_EQ(f.bounds(binary::kMax), 0);
}

// Linears are quicker without.
TEST(KeptSaturation, RangesThatHardlyClipAreLeftOut) {
  QuantizedFile f;
  f.b.output(f.pair(f.x, 0.02f, 128));
  f.converted({2.55f, -2.5f, 1, -1});
  EXPECT_EQ(f.found.clipped, 0);
  EXPECT_EQ(f.bounds(binary::kMin) + f.bounds(binary::kMax), 0);
}

// A hard swish whose Clip(x + 3, 0, 6) was dropped, quantized by percentiles: no round number tells that it ended at 6, and the square of x went out.
TEST(KeptSaturation, AClipThatEndsAtNoRoundNumber) {
  QuantizedFile f;
  f.b.output(f.b.mul(f.x, f.pair(f.b.add(f.x, f.b.scalar(3)), 5.93f / 255, 0)));
  const Floats y = f.converted({100, -100, 1, 0})[0].to_float();
  EXPECT_NEAR(y[0], 593, 1e-3);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(f.bounds(binary::kMin), 1);
}

// What ends at a round number is restored without any of this.
TEST(KeptSaturation, ARelu6IsOne) {
  QuantizedFile f;
  f.b.output(f.pair(f.x, 6.0f / 255, 0));
  EXPECT_EQ(f.converted({100, -100, 1, 0})[0].to_float(), (Floats{6, 0, 1, 0}));
  EXPECT_EQ(f.found.clipped, 0);
  EXPECT_EQ(only(f.b.g, OpKind::kUnary).as<UnaryAttrs>().kind, static_cast<int>(Unary::kRelu6));
}

// A range that calibration without padding found does not reach to what a mask adds; it masks all the same.
TEST(KeptSaturation, MaskedScoresAreNotClipped) {
  QuantizedFile f;
  f.b.output(f.b.softmax(f.pair(f.x, 0.1f, 128)));
  f.converted({-10000, 1, 2, 3});
  EXPECT_EQ(f.found.clipped, 0);
}

}  // namespace

}  // namespace edgeconv::testing
