// Activations that ONNX Runtime's quantizer drops because saturation does the same.
#include "tests/convert/passes/quantized_models.h"

namespace edgeconv::testing {

namespace {

// The quantizer drops a Relu that saturation does as well.
TEST_F(QuantizedModels, SaturationAtZeroIsARelu) {
  const ValueId y = b.add(b.matmul(x, b.weights({8, 6})), b.weights({6}));
  b.output(dequantize(quantize(y, 0.05f, DType::kInt8, -128), 0.05f, DType::kInt8, -128));
  import();
  EXPECT_EQ(only(b.g, OpKind::kLinear).as<LinearAttrs>().activation, static_cast<int>(Unary::kRelu)) << b.g.dump();
}

// ONNX Runtime's quantize_static drops Clip(0, 6) as it drops Relu. A ReLU6 network gave outputs three times too large, certified .99999.
TEST_F(QuantizedModels, SaturationAtSixIsARelu6) {
  for (const auto& [type, zero] : {std::pair(DType::kUint8, 0), std::pair(DType::kInt8, -128)})
    b.output(dequantize(quantize(b.sub(x, b.scalar(zero + 0.1f)), 6.0f / 255, type, zero), 6.0f / 255, type, zero));
  import();
  EXPECT_EQ(count(b.g, OpKind::kUnary), 2);
  EXPECT_EQ(quantized_nodes(), 0);
  for (const Node& n : b.g.nodes) {
    if (n.dead || n.kind != OpKind::kUnary) continue;
    EXPECT_EQ(n.as<UnaryAttrs>().kind, static_cast<int>(Unary::kRelu6));
  }
}

// Clip(0, 20) of speech models; and a range that ends where calibration left it, which is no clip.
TEST_F(QuantizedModels, SaturationAtARoundNumberIsAClip) {
  b.output(dequantize(quantize(b.sub(x, b.scalar(0.1f)), 20.0f / 255, DType::kUint8, 0), 20.0f / 255, DType::kUint8, 0));
  b.output(dequantize(quantize(b.sub(x, b.scalar(0.2f)), 5.83f / 255, DType::kUint8, 0), 5.83f / 255, DType::kUint8, 0));
  import();
  EXPECT_EQ(count(b.g, OpKind::kUnary), 2);
  EXPECT_EQ(quantized_nodes(), 0);
  int minima = 0;
  for (const Node& n : b.g.nodes) minima += !n.dead && n.kind == OpKind::kBinary && n.as<BinaryAttrs>().kind == ert::params::binary::kMin;
  EXPECT_EQ(minima, 1);
}

// Their lower end is not that of the bytes that they are read to.
TEST_F(QuantizedModels, SaturationOfFourAndTwoBitsAtZeroIsARelu) {
  for (const int bits : {4, 2})
    for (const int zero : {-(1 << (bits - 1)), 0}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, zero point " + std::to_string(zero));
      GraphBuilder own;
      const ValueId in = own.input("x", {B, S, 8}), y = own.add(own.matmul(in, own.weights({8, 6})), own.weights({6}));
      const ValueId scale = own.scalar(0.05f), at = own.constant(Tensor::of<int8_t>(DType::kInt8, {}, {static_cast<int8_t>(zero)}));
      const ValueId q = own.node(OpKind::kQuantizeLinear, {y, scale, at}, QuantAttrs{1, 0, DType::kInt8, bits});
      own.output(own.node(OpKind::kDequantizeLinear, {q, scale, at}, QuantAttrs{}));
      finish(own.g);
      Diagnostics d;
      run_quantized_import(own.g, d);
      run_passes(own.g, d);
      const bool relu = only(own.g, OpKind::kLinear).as<LinearAttrs>().activation == static_cast<int>(Unary::kRelu);
      EXPECT_EQ(relu, zero != 0) << own.g.dump();
    }
}

TEST_F(QuantizedModels, NothingIsAddedBehindWhatIsNeverNegative) {
  b.output(dequantize(quantize(b.softmax(x), 0.004f, DType::kUint8, 0), 0.004f, DType::kUint8, 0));
  const ValueId d = b.sub(x, b.mean(x));
  b.output(dequantize(quantize(b.mean(b.mul(d, d)), 0.1f, DType::kUint8, 0), 0.1f, DType::kUint8, 0));
  import();
  EXPECT_EQ(count(b.g, OpKind::kUnary), 0) << b.g.dump();
}

}  // namespace

}  // namespace edgeconv::testing
