// Already quantized models: the spellings of ONNX Runtime's quantizers become float operators with constants that remember the
// integers of the file, and packing takes those integers.
#include <algorithm>
#include <cmath>

#include "convert/quantize/weights.h"
#include "tests/convert/passes/quantized_models.h"

namespace edgeconv::testing {

namespace {

TEST_F(QuantizedModels, DynamicProductKeepsTheIntegers) {
  const std::vector<int> w = pattern(8, 6);
  const ValueId y = dynamic_product(x, bytes(DType::kInt8, {8, 6}, w), bytes(DType::kInt8, {}, {0}), b.scalar(0.03f));
  b.output(b.add(y, b.weights({6})));
  EXPECT_TRUE(import().empty());
  EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
  const Node& linear = only(b.g, OpKind::kLinear);
  EXPECT_NE(linear.in(2), kNone);
  const QuantizedWeights q = linear_weights(b.g.value(linear.in(1)), {});
  for (int64_t k = 0; k < 8; ++k)
    for (int64_t c = 0; c < 6; ++c) EXPECT_EQ(q.codes[static_cast<size_t>(c * 8 + k)], w[static_cast<size_t>(k * 6 + c)]);
  EXPECT_EQ(q.scale, std::vector<float>(6, 0.03f));
  int64_t sum = 0;
  for (int64_t k = 0; k < 8; ++k) sum += w[static_cast<size_t>(k * 6 + 2)];
  EXPECT_EQ(q.colsum[2], sum);
}

// One scale and zero point for each output channel, as ONNX Runtime's quantizer writes them for a Conv.
TEST_F(QuantizedModels, DynamicConvolutionIsTheFloatConvolution) {
  const std::vector<int> w = pattern(5, 8 * 3, 128);
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {b.transpose(x, {0, 2, 1})}, 3);
  ConvAttrs a;
  a.kernel = {3};
  a.pads = {1, 1};
  const ValueId product =
      b.node(OpKind::kConvInteger,
             {q[0], bytes(DType::kUint8, {5, 8, 3}, w), q[2], bytes(DType::kUint8, {5}, std::vector<int>(5, 128))}, a);
  const std::vector<float> scale{0.01f, 0.02f, 0.03f, 0.04f, 0.05f};
  const ValueId per_channel = b.constant(Tensor::of<float>(DType::kFloat, {1, 5, 1}, scale));
  b.output(b.mul(b.node(OpKind::kCast, {product}, CastAttrs{DType::kFloat}), b.mul(q[1], per_channel)));
  import();
  EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
  GraphBuilder plain;
  Tensor f(DType::kFloat, {5, 8, 3});
  for (size_t i = 0; i < w.size(); ++i) f.mut<float>()[i] = static_cast<float>(w[i] - 128) * scale[i / 24];
  plain.output(plain.node(OpKind::kConv, {plain.transpose(plain.input("x", {B, S, 8}), {0, 2, 1}), plain.constant(f)}, a));
  EXPECT_LT(distance(plain), 1e-4f);
}

// The quantizer of ONNX Runtime before 1.5 (ddddocr's files): a bias in steps of both scales, rounded down, is added to the integers. It becomes the float bias
// again, and integers of other origin their multiple of the scales.
TEST_F(QuantizedModels, IntegerBiasOfAConvolutionIsAFloatBias) {
  const std::vector<int> w = pattern(5, 8 * 3, 100);
  const std::vector<float> bias{0.5f, -1.25f, 3.0f, 0.01f, -0.3f};
  for (const bool divided : {true, false}) {
    b = GraphBuilder();
    x = b.input("x", {B, S, 8});
    const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {b.transpose(x, {0, 2, 1})}, 3);
    ConvAttrs a;
    a.kernel = {3};
    a.pads = {1, 1};
    const ValueId product =
        b.node(OpKind::kConvInteger, {q[0], bytes(DType::kUint8, {5, 8, 3}, w), q[2], bytes(DType::kUint8, {}, {100})}, a);
    const ValueId scale = b.constant(Tensor::of<float>(DType::kFloat, {1}, {0.02f}));
    ValueId integers = b.constant(Tensor::of<int32_t>(DType::kInt32, {1, 5, 1}, {3, -2, 7, 0, 100}));
    if (divided) {
      const ValueId quotient = b.div(b.constant(Tensor::of<float>(DType::kFloat, {5}, bias)), b.mul(q[1], scale));
      const ValueId down = b.unary(unary::kFloor, quotient);
      integers = b.reshape(b.node(OpKind::kCast, {down}, CastAttrs{DType::kInt32}), {1, -1, 1});
    }
    const ValueId sum = b.add(product, integers);
    b.output(b.mul(b.node(OpKind::kCast, {sum}, CastAttrs{DType::kFloat}), b.mul(q[1], scale)));
    import();
    EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
    // The scale of the activations is computed only where the integers are in its steps.
    EXPECT_EQ(count(b.g, OpKind::kReduce) > 0, !divided) << b.g.dump();
    if (!divided) continue;
    GraphBuilder plain;
    Tensor f(DType::kFloat, {5, 8, 3});
    for (size_t i = 0; i < w.size(); ++i) f.mut<float>()[i] = static_cast<float>(w[i] - 100) * 0.02f;
    plain.output(
        plain.add(plain.node(OpKind::kConv, {plain.transpose(plain.input("x", {B, S, 8}), {0, 2, 1}), plain.constant(f)}, a),
                  plain.constant(Tensor::of<float>(DType::kFloat, {1, 5, 1}, bias))));
    EXPECT_LT(distance(plain), 1e-4f);
  }
}

// Smoothing multiplies the weights, so the integers change: the caller must not ask for it, and a plain weight shows the
// difference.
TEST_F(QuantizedModels, PlainWeightsGetNewIntegers) {
  b.output(b.matmul(x, b.weights({8, 6})));
  import();
  const Value& weight = b.g.value(only(b.g, OpKind::kLinear).in(1));
  EXPECT_EQ(weight.quantized, nullptr);
  const QuantizedWeights q = linear_weights(weight, {});
  EXPECT_EQ(*std::max_element(q.codes.begin(), q.codes.end(), [](int a, int c) { return std::abs(a) < std::abs(c); }) % 127, 0);
}

TEST_F(QuantizedModels, DynamicProductIsTheFloatProduct) {
  const std::vector<int> w = pattern(8, 6, 128);
  b.output(dynamic_product(x, bytes(DType::kUint8, {8, 6}, w), bytes(DType::kUint8, {}, {128}), b.scalar(0.03f)));
  import();
  GraphBuilder plain;
  Tensor f(DType::kFloat, {8, 6});
  for (size_t i = 0; i < w.size(); ++i) f.mut<float>()[i] = static_cast<float>(w[i] - 128) * 0.03f;
  plain.output(plain.matmul(plain.input("x", {B, S, 8}), plain.constant(f)));
  EXPECT_LT(distance(plain), 1e-4f);
  EXPECT_NE(b.g.value(only(b.g, OpKind::kLinear).in(1)).quantized, nullptr) << "u8 with zero point 128 is s8";
}

TEST_F(QuantizedModels, ScaleAndZeroPointPerColumn) {
  const std::vector<int> w = pattern(8, 3);
  const ValueId scales = b.constant(Tensor::of<float>(DType::kFloat, {3}, {0.01f, 0.02f, 0.04f}));
  b.output(dynamic_product(x, bytes(DType::kInt8, {8, 3}, w), bytes(DType::kInt8, {3}, {0, 5, -5}), scales));
  EXPECT_TRUE(import().empty());
  const QuantizedWeights q = linear_weights(b.g.value(only(b.g, OpKind::kLinear).in(1)), {});
  EXPECT_EQ(q.scale, (std::vector<float>{0.01f, 0.02f, 0.04f}));
  EXPECT_EQ(q.codes[0], w[0]);
  EXPECT_EQ(q.codes[8], w[1] - 5);
  EXPECT_EQ(q.codes[16], w[2] + 5);
}

TEST_F(QuantizedModels, MinusOneHundredTwentyEightIsReported) {
  std::vector<int> w = pattern(8, 2);
  w[3] = -128;
  b.output(dynamic_product(x, bytes(DType::kInt8, {8, 2}, w), bytes(DType::kInt8, {}, {0}), b.scalar(0.03f)));
  const auto warnings = import();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("-128"), std::string::npos);
  const QuantizedWeights q = linear_weights(b.g.value(only(b.g, OpKind::kLinear).in(1)), {});
  EXPECT_EQ(q.codes[8 + 1], -127);
}

TEST_F(QuantizedModels, ZeroPointThatDoesNotFitIsReported) {
  b.output(dynamic_product(x, bytes(DType::kUint8, {8, 2}, pattern(8, 2, 120)), bytes(DType::kUint8, {}, {3}), b.scalar(0.03f)));
  const auto warnings = import();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("quantized again"), std::string::npos);
  EXPECT_EQ(b.g.value(only(b.g, OpKind::kLinear).in(1)).quantized, nullptr);
}

// txtai's quantize=True: both factors of an attention product are quantized.
TEST_F(QuantizedModels, ProductOfTwoActivations) {
  const ValueId other = b.input("other", {B, S, 8});
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3),
             k = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {b.transpose(other, {0, 2, 1})}, 3);
  const ValueId product =
      b.node(OpKind::kCast, {b.node(OpKind::kMatMulInteger, {q[0], k[0], q[2], k[2]})}, CastAttrs{DType::kFloat});
  b.output(b.mul(b.mul(product, b.mul(q[1], k[1])), b.scalar(0.125f)));
  import();
  EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
  GraphBuilder plain;
  const ValueId p = plain.input("x", {B, S, 8});
  plain.output(plain.mul(plain.matmul(p, plain.transpose(plain.input("other", {B, S, 8}), {0, 2, 1})), plain.scalar(0.125f)));
  EXPECT_LT(distance(plain), 1e-4f);
}

// TensorFlow Lite quantizes what a hybrid product reads and restores it right away.
TEST_F(QuantizedModels, RestoredRightBehindADynamicQuantization) {
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3);
  b.output(b.node(OpKind::kDequantizeLinear, {b.transpose(q[0], {0, 2, 1}), q[1], q[2]}, QuantAttrs{}));
  import();
  EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
}

TEST_F(QuantizedModels, RestoredByTheScaleOfAnother) {
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3),
             other = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {b.mul(x, b.scalar(3))}, 3);
  b.output(b.node(OpKind::kDequantizeLinear, {q[0], other[1], q[2]}, QuantAttrs{}));
  finish(b.g);
  Diagnostics d;
  run_quantized_import(b.g, d, {true, nullptr});
  EXPECT_EQ(quantized_nodes(), 3) << b.g.dump();
}

// A product by the wrong zero point is no known pattern: it must not be taken for one.
TEST_F(QuantizedModels, ForeignZeroPointIsLeftAlone) {
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3);
  const ValueId product =
      b.node(OpKind::kMatMulInteger, {q[0], bytes(DType::kInt8, {8, 2}, pattern(8, 2)), bytes(DType::kUint8, {}, {9})});
  b.output(b.mul(b.node(OpKind::kCast, {product}, CastAttrs{DType::kFloat}), q[1]));
  finish(b.g);
  Diagnostics d;
  run_quantized_import(b.g, d);
  EXPECT_EQ(count(b.g, OpKind::kMatMulInteger), 1);
}

// Read behind the end of the zero point: a hostile file may give one without elements.
TEST_F(QuantizedModels, AZeroPointWithoutElementsIsLeftAlone) {
  b.output(dynamic_product(x, bytes(DType::kInt8, {8, 2}, pattern(8, 2)), bytes(DType::kInt8, {0}, {}), b.scalar(0.03f)));
  finish(b.g);
  Diagnostics d;
  run_quantized_import(b.g, d);
  EXPECT_EQ(count(b.g, OpKind::kMatMulInteger), 1);
}

TEST_F(QuantizedModels, QuantizeDequantizePairsVanish) {
  const ValueId q = quantize(x, 0.05f, DType::kUint8, 100);
  b.output(b.unary(Unary::kTanh, dequantize(b.transpose(q, {0, 2, 1}), 0.05f, DType::kUint8, 100)));
  import();
  EXPECT_EQ(quantized_nodes(), 0) << b.g.dump();
  GraphBuilder plain;
  plain.output(plain.unary(Unary::kTanh, plain.transpose(plain.input("x", {B, S, 8}), {0, 2, 1})));
  EXPECT_EQ(distance(plain), 0);
}

// Convolutions that ONNX Runtime quantized as operators have their pools between them in 8 bits.
TEST_F(QuantizedModels, PairsAroundAMaxPoolVanish) {
  ConvAttrs a;
  a.kernel = {2};
  a.strides = {2};
  const ValueId image = b.input("image", {B, 4, 10});
  const ValueId pooled = b.node(OpKind::kMaxPool, {quantize(image, 0.05f, DType::kUint8, 100)}, a);
  b.output(dequantize(pooled, 0.05f, DType::kUint8, 100));
  import();
  EXPECT_EQ(quantized_nodes(), 0);
  EXPECT_EQ(b.g.value(b.g.outputs[0]).dtype, DType::kFloat);
  EXPECT_EQ(count(b.g, OpKind::kCast), 0);
}
// A scale below zero turns the order round.
TEST_F(QuantizedModels, AMaxPoolOfNegativeScaleStays) {
  ConvAttrs a;
  a.kernel = {2};
  const ValueId image = b.input("image", {B, 4, 10});
  const ValueId pooled = b.node(OpKind::kMaxPool, {quantize(image, -0.05f, DType::kUint8, 100)}, a);
  b.output(dequantize(pooled, -0.05f, DType::kUint8, 100));
  import();
  EXPECT_GT(count(b.g, OpKind::kCast), 0);
}

TEST_F(QuantizedModels, PairWithAnotherScaleIsArithmetic) {
  b.output(dequantize(quantize(x, 0.05f, DType::kUint8, 100), 0.1f, DType::kUint8, 100));
  finish(b.g);
  Diagnostics d;
  run_quantized_import(b.g, d);
  EXPECT_EQ(count(b.g, OpKind::kQuantizeLinear), 1);
}

TEST_F(QuantizedModels, GatheredRowsComeFromADequantizedTable) {
  const ValueId ids = b.input("ids", {B, S}, DType::kInt64);
  const std::vector<int> table = pattern(10, 4, 128);
  const ValueId rows = b.node(OpKind::kGather, {bytes(DType::kUint8, {10, 4}, table), ids}, AxisAttrs{0});
  b.output(dequantize(rows, 0.01f, DType::kUint8, 128));
  import();
  const Node& embedding = only(b.g, OpKind::kEmbedding);
  const QuantizedRows q = table_rows(b.g.value(embedding.in(1)));
  EXPECT_EQ(q.scale, std::vector<float>(10, 0.01f));
  for (size_t i = 0; i < table.size(); ++i) EXPECT_EQ(q.codes[i], table[i] - 128);
}

// Gemm with transB: integers and scales per row of the file become columns.
TEST_F(QuantizedModels, IntegersFollowATranspose) {
  const std::vector<int> w = pattern(3, 8);
  const ValueId scales = b.constant(Tensor::of<float>(DType::kFloat, {3}, {0.01f, 0.02f, 0.04f}));
  const ValueId weight =
      b.node(OpKind::kDequantizeLinear, {bytes(DType::kInt8, {3, 8}, w), scales}, QuantAttrs{0, 0, DType::kUndefined});
  b.output(b.matmul(x, b.transpose(weight, {1, 0})));
  import();
  const QuantizedWeights q = linear_weights(b.g.value(only(b.g, OpKind::kLinear).in(1)), {});
  EXPECT_EQ(q.scale, (std::vector<float>{0.01f, 0.02f, 0.04f}));
  for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(q.codes[i], w[i]);
}

TEST_F(QuantizedModels, FactorPerColumnChangesOnlyTheScales) {
  const std::vector<int> w = pattern(8, 3);
  const ValueId y = dynamic_product(x, bytes(DType::kInt8, {8, 3}, w), bytes(DType::kInt8, {}, {0}), b.scalar(0.5f));
  b.output(b.mul(b.add(y, b.weights({3})), b.constant(Tensor::of<float>(DType::kFloat, {3}, {1, 2, 4}))));
  import();
  const QuantizedWeights q = linear_weights(b.g.value(only(b.g, OpKind::kLinear).in(1)), {});
  EXPECT_EQ(q.scale, (std::vector<float>{0.5f, 1, 2}));
  EXPECT_EQ(q.codes[8], w[1]);
}

TEST_F(QuantizedModels, LeftoversAreWrittenWithArithmetic) {
  const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3);
  b.output(b.mul(b.node(OpKind::kCast, {q[0]}, CastAttrs{DType::kFloat}), q[1]));
  b.output(q[2]);
  b.output(b.node(OpKind::kCast, {quantize(x, 0.013f, DType::kInt8, 3)}, CastAttrs{DType::kFloat}));
  const ValueId codes = b.input("codes", {B, 5}, DType::kUint8);
  b.output(b.node(OpKind::kMatMulInteger, {codes, bytes(DType::kInt8, {5, 3}, pattern(5, 3)), bytes(DType::kUint8, {}, {1})}));
  b.output(dequantize(codes, 0.1f, DType::kUint8, 2));
  EXPECT_EQ(apply(b.g, {pass_decompose_quantization}, 0), 4);
  EXPECT_EQ(quantized_nodes(), 0);
}

// More terms than fp32 sums exactly.
TEST_F(QuantizedModels, LongIntegerSumsStay) {
  const ValueId codes = b.input("codes", {B, 300}, DType::kUint8);
  b.output(b.node(OpKind::kMatMulInteger, {codes, bytes(DType::kInt8, {300, 1}, pattern(300, 1))}));
  EXPECT_EQ(apply(b.g, {pass_decompose_quantization}, 0), 0);
}

}  // namespace

}  // namespace edgeconv::testing
