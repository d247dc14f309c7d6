// Evaluators on small hand-made inputs whose results can be checked by hand, with both backends. The ONNX node tests cover
// the operators; here are the fused kinds, the project's own rules, and errors.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;

class Interpreter : public testing::TestWithParam<Backend> {
 protected:
  std::vector<float> run(GraphBuilder& b, ValueId out, const std::vector<Tensor>& inputs = {}) {
    b.g.outputs = {out};
    return interpret(b.g, inputs, {GetParam(), {}})[0].to_float();
  }
  void expect_near(const std::vector<float>& got, const std::vector<float>& want, float tolerance = 1e-5f) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << i;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, Interpreter, testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& i) { return i.param == Backend::kOracle ? "oracle" : "canonical"; });

TEST_P(Interpreter, LinearWithBiasAndActivation) {
  GraphBuilder b;
  const ValueId x = b.floats({2, 2}, {1, 2, -3, 4});
  const ValueId y = b.node(OpKind::kLinear, {x, b.floats({2, 2}, {1, 0, 1, -1}), b.floats({2}, {0, 1})},
                           LinearAttrs{static_cast<int>(ert::kernels::Unary::kRelu)});
  expect_near(run(b, y), {3, 0, 1, 0});
}

TEST_P(Interpreter, AttentionAveragesVisibleKeys) {
  GraphBuilder b;
  // Equal scores: a row is the mean of the keys it sees; the second row sees none.
  const ValueId q = b.floats({1, 2, 2}, {0, 0, 0, 0}), k = b.floats({1, 3, 2}, {1, 2, 3, 4, 5, 6}),
                v = b.floats({1, 3, 2}, {1, 10, 3, 30, 5, 50});
  const ValueId mask = b.g.add_constant("mask", Tensor::of<uint8_t>(DType::kBool, {1, 1, 2, 3}, {1, 0, 1, 0, 0, 0}));
  const ValueId y = b.node(OpKind::kAttention, {q, k, v, kNone, mask}, AttentionAttrs{1, 1, 2, 2, 1.0f, false, 0, 0, 0});
  expect_near(run(b, y), {3, 30, 0, 0});
}

TEST_P(Interpreter, CausalAttentionIsAlignedBottomRight) {
  GraphBuilder b;
  const ValueId q = b.floats({1, 2, 1}, {0, 0}), k = b.floats({1, 3, 1}, {0, 0, 0}), v = b.floats({1, 3, 1}, {3, 6, 9});
  const ValueId y = b.node(OpKind::kAttention, {q, k, v, kNone, kNone}, AttentionAttrs{1, 1, 1, 1, 1.0f, true, 0, 0, 0});
  expect_near(run(b, y), {4.5f, 6});
}

TEST_P(Interpreter, NormAddsResidualAndReturnsTheSum) {
  GraphBuilder b;
  const auto y =
      b.nodes(OpKind::kNorm, {b.floats({1, 2}, {1, 2}), b.floats({1, 2}, {1, 4}), b.floats({2}, {2, 2}), b.floats({2}, {0, 1})},
              2, FusedNormAttrs{0.0f, false});
  expect_near(run(b, y[0]), {-2, 3});
  expect_near(run(b, y[1]), {2, 6});
}

TEST_P(Interpreter, RmsNormDoesNotCentre) {
  GraphBuilder b;
  const auto y =
      b.nodes(OpKind::kNorm, {b.floats({1, 2}, {3, 4}), kNone, b.floats({2}, {1, 1}), kNone}, 1, FusedNormAttrs{0.0f, true});
  expect_near(run(b, y[0]), {3 / std::sqrt(12.5f), 4 / std::sqrt(12.5f)});
}

TEST_P(Interpreter, PoolsAndNormalizes) {
  GraphBuilder b;
  const ValueId x = b.floats({1, 3, 2}, {3, 0, 3, 8, 100, 100}), w = b.floats({1, 3}, {1, 1, 0});
  const ValueId p = b.node(OpKind::kMeanPool, {x, w}, PoolAttrs{});
  expect_near(run(b, p), {3, 4});
  expect_near(run(b, b.node(OpKind::kL2Normalize, {p}, PoolAttrs{1e-12f})), {0.6f, 0.8f});
}

TEST_P(Interpreter, FullyMaskedSoftmaxRowGivesZeros) {
  GraphBuilder b;
  expect_near(run(b, b.node(OpKind::kSoftmax, {b.floats({2, 2}, {-INFINITY, -INFINITY, 0, 0})}, AxisAttrs{-1})),
              {0, 0, 0.5f, 0.5f});
}

TEST_P(Interpreter, LstmStopsAtTheSequenceLength) {
  GraphBuilder b;
  RnnAttrs a;
  a.kind = "LSTM", a.hidden = 1;
  // All weights zero: gates 0.5, candidate tanh(1) by its bias; c = 0.5c + 0.5 tanh(1).
  const ValueId bias = b.floats({1, 8}, {0, 0, 0, 1, 0, 0, 0, 0});
  const ValueId lengths = b.g.add_constant("lengths", Tensor::of<int32_t>(DType::kInt32, {1}, {1}));
  const auto y = b.nodes(
      OpKind::kRnn,
      {b.floats({2, 1, 1}, {1, 1}), b.floats({1, 4, 1}, {0, 0, 0, 0}), b.floats({1, 4, 1}, {0, 0, 0, 0}), bias, lengths}, 3, a);
  const float cell = 0.5f * std::tanh(1.0f);
  expect_near(run(b, y[0]), {0.5f * std::tanh(cell), 0});
  expect_near(run(b, y[2]), {cell});
}

TEST_P(Interpreter, EinsumTracesAndContracts) {
  GraphBuilder b;
  const ValueId m = b.floats({2, 2}, {1, 2, 3, 4});
  expect_near(run(b, b.node(OpKind::kEinsum, {m}, EinsumAttrs{"ii"})), {5});
  expect_near(run(b, b.node(OpKind::kEinsum, {m, m}, EinsumAttrs{"ij,kj->ik"})), {5, 11, 11, 25});
  expect_near(run(b, b.node(OpKind::kEinsum, {m, m, m}, EinsumAttrs{"ij,jk,kl->il"})), {37, 54, 81, 118});
}

TEST_P(Interpreter, IntegersDivideTowardZeroAndWrap) {
  GraphBuilder b;
  const ValueId q = b.node(OpKind::kBinary, {b.ints({-7, 7}), b.ints({2, -2})}, BinaryAttrs{ert::params::binary::kDiv});
  expect_near(run(b, q), {-3, -3});
  const ValueId r = b.node(OpKind::kBinary, {b.ints({-7, 7}), b.ints({2, -2})}, BinaryAttrs{ert::params::binary::kMod});
  expect_near(run(b, r), {1, -1});
}

TEST_P(Interpreter, EmptyTensorsPass) {
  GraphBuilder b;
  const ValueId x = b.floats({0, 3}, {});
  EXPECT_TRUE(run(b, b.node(OpKind::kConcat, {x, x}, AxisAttrs{0})).empty());
  expect_near(run(b, b.node(OpKind::kReduce, {x}, ReduceAttrs{ert::params::reduce::kSum, {0}, false, false})), {0, 0, 0});
  EXPECT_TRUE(run(b, b.node(OpKind::kMatMul, {x, b.floats({3, 2}, {1, 2, 3, 4, 5, 6})})).empty());
}

// Inference says so, and passes rely on it: without its Cast an output was half precision again.
TEST_P(Interpreter, ALinearOfHalvesIsSingle) {
  GraphBuilder b;
  const auto halves = [&](const std::vector<int64_t>& dims, const std::vector<float>& values) {
    return b.g.add_constant("halves", Tensor::of<float>(DType::kFloat, dims, values).cast(DType::kFloat16));
  };
  const ValueId y = b.node(OpKind::kLinear, {halves({1, 2}, {1, 2}), halves({2, 1}, {3, 4})}, LinearAttrs{});
  Diagnostics d;
  infer(b.g, d);
  ASSERT_EQ(b.g.value(y).dtype, DType::kFloat);
  expect_near(run(b, y), {11});
  EXPECT_EQ(interpret(b.g, {}, {GetParam(), {}})[0].dtype(), DType::kFloat);
}

// A Concat of an input in half precision and of a Conv over it, and a Pad of the Conv's result with a number in half precision.
TEST_P(Interpreter, HalvesBesideALinearAreMovedAsSingle) {
  GraphBuilder b;
  const auto halves = [&](const std::vector<int64_t>& dims, const std::vector<float>& values) {
    return b.g.add_constant("halves", Tensor::of<float>(DType::kFloat, dims, values).cast(DType::kFloat16));
  };
  const ValueId x = halves({1, 2}, {1, 2}), y = b.node(OpKind::kLinear, {x, halves({2, 1}, {3, 4})}, LinearAttrs{});
  const ValueId first = b.node(OpKind::kConcat, {x, y}, AxisAttrs{1}), last = b.node(OpKind::kConcat, {y, x}, AxisAttrs{1});
  const ValueId padded = b.node(OpKind::kPad, {y, b.ints({0, 1, 0, 1}), halves({1}, {5})}, PadAttrs{});
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok()) << "refused as no valid ONNX";
  expect_near(run(b, first), {1, 2, 11});
  expect_near(run(b, last), {11, 1, 2});
  expect_near(run(b, padded), {5, 11, 5});
  EXPECT_EQ(interpret(b.g, {}, {GetParam(), {}})[0].dtype(), DType::kFloat);
}

TEST_P(Interpreter, HalfPrecisionComputesInSingle) {
  GraphBuilder b;
  const ValueId x = b.g.add_constant("x", Tensor::of<float>(DType::kFloat, {2}, {1.5f, 2.5f}).cast(DType::kFloat16));
  const ValueId y = b.node(OpKind::kBinary, {x, x}, BinaryAttrs{ert::params::binary::kMul});
  b.g.outputs = {y};
  const Tensor t = interpret(b.g, {}, {GetParam(), {}})[0];
  EXPECT_EQ(t.dtype(), DType::kFloat16);
  expect_near(t.to_float(), {2.25f, 6.25f});
}

TEST_P(Interpreter, ErrorsNameTheNode) {
  GraphBuilder b;
  const ValueId y = b.node(OpKind::kGather, {b.floats({2}, {1, 2}), b.ints({5})}, AxisAttrs{0});
  try {
    run(b, y);
    FAIL() << "index 5 of 2 was accepted";
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kMalformed);
    EXPECT_NE(std::string(e.what()).find("node0"), std::string::npos) << e.what();
  }
}

// A score per clip, [batch, 1], squeezed without axes: the file's result is a number where the batch is 1, and the blob's a vector at every size.
TEST_P(Interpreter, SqueezeWithoutAxesKeepsADynamicAxisOfOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("batch"), DimExpr(1)});
  const ValueId y = b.node(OpKind::kSqueeze, {x}, AxesAttrs{});
  b.g.outputs = {y};
  const Tensor t = interpret(b.g, {Tensor::of<float>(DType::kFloat, {1, 1}, {4})}, {GetParam(), {}})[0];
  EXPECT_EQ(t.dims(), (std::vector<int64_t>{1}));
}

TEST_P(Interpreter, ObserverSeesEveryNode) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {2});
  const ValueId y = b.node(OpKind::kUnary, {b.node(OpKind::kUnary, {x}, UnaryAttrs{ert::params::unary::kNeg, 0})},
                           UnaryAttrs{ert::params::unary::kAbs, 0});
  b.g.outputs = {y};
  int nodes = 0;
  InterpreterOptions o{GetParam(), [&](const Node& n, const std::vector<Tensor>& values) {
                         ++nodes;
                         EXPECT_EQ(values[static_cast<size_t>(n.outputs[0])].elements(), 2);
                       }};
  interpret(b.g, {Tensor::of<float>(DType::kFloat, {2}, {1, -2})}, o);
  EXPECT_EQ(nodes, 2);
}

}  // namespace
}  // namespace edgeconv_test
