// Operands of types that ONNX does not allow are named where they are, not by a broken blob.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "tests/convert/graph_builder.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
namespace bb = ert::params::binary;

std::string problem(Graph& g) {
  Diagnostics d;
  infer(g, d);
  EXPECT_TRUE(d.problems().empty());  // no file that is valid has this
  try {
    d.check();
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kMalformed);
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// Found by damaged files: the initial state came from a ConstantOfShape of int32.
TEST(Types, IntegerStateOfARecurrentLayer) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {3, 2, 4});
  const auto state =
      b.node(OpKind::kConstantOfShape, {b.ints({1, 2, 5})}, FillAttrs{Tensor::scalar(int64_t{0}).cast(DType::kInt32)});
  RnnAttrs a;
  a.kind = "RNN";
  a.hidden = 5;
  a.activations = {"Tanh"};
  const auto weights = [&](int64_t rows, int64_t columns) {
    return b.floats({1, rows, columns}, std::vector<float>(static_cast<size_t>(rows * columns), 0.1f));
  };
  b.output(b.nodes(OpKind::kRnn, {x, weights(5, 4), weights(5, 5), kNone, kNone, state}, 2, a)[0]);
  const std::string reason = problem(b.g);
  EXPECT_TRUE(has(reason, "int32") && has(reason, "a float type")) << reason;
}

TEST(Types, KindsDoNotMix) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {3}), i = b.input("i", DType::kInt64, {3});
  b.output(b.node(OpKind::kBinary, {x, i}, BinaryAttrs{bb::kAdd}));
  EXPECT_TRUE(has(problem(b.g), "'i' is int64"));
  GraphBuilder c;
  const ValueId y = c.input("y", DType::kFloat, {3});
  c.output(c.node(OpKind::kGather, {y, y}, AxisAttrs{0}));
  EXPECT_TRUE(has(problem(c.g), "an integer type"));
}

// An ArgMax of bool ended in exit 1: the runtime searches numbers.
TEST(Types, BoolHasNoOrder) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kBool, {3});
  b.output(b.node(OpKind::kArgMinMax, {x}, ArgAttrs{}));
  EXPECT_TRUE(has(problem(b.g), "'x' is bool, it must be a number"));
  GraphBuilder c;
  const ValueId y = c.input("y", DType::kBool, {3});
  c.output(c.nodes(OpKind::kTopK, {y, c.ints({2})}, 2, TopKAttrs{})[0]);
  EXPECT_TRUE(has(problem(c.g), "'y' is bool, it must be a number"));
}

// Elements that are only moved stand beside each other as fp32, which passes make of half precision; float64 is apart: it ended in exit 4
// behind the advice to give other inputs.
TEST(Types, MovedFloatsOfTwoWidthsAreFp32) {
  for (const OpKind kind : {OpKind::kConcat, OpKind::kPad}) {
    for (const DType t : {DType::kFloat, DType::kDouble, DType::kFloat16}) {
      GraphBuilder b;
      const ValueId h = b.input("h", DType::kFloat16, {3}), x = b.input("x", t, {1});
      const bool concat = kind == OpKind::kConcat;
      const ValueId y = b.node(kind, concat ? std::vector{h, x} : std::vector{h, b.ints({1, 1}), x}, concat ? Attributes(AxisAttrs{0}) : PadAttrs{});
      b.output(y);
      EXPECT_EQ(has(problem(b.g), "'x' is float64, it must be float16 as 'h'"), t == DType::kDouble);
      EXPECT_EQ(b.g.value(y).dtype, t == DType::kDouble ? DType::kUndefined : t);
    }
  }
  GraphBuilder k;
  const ValueId x = k.input("x", DType::kFloat, {3});
  k.output(k.nodes(OpKind::kTopK, {x, k.floats({1}, {2})}, 2, TopKAttrs{})[0]);
  EXPECT_TRUE(has(problem(k.g), "is float32, it must be an integer type"));
}

// A ScatterND of float64 into float32 ended in exit 4 with the same advice; of float16 it is one of float32.
TEST(Types, ScatteredFloatsAreDoubleTogether) {
  for (const DType t : {DType::kDouble, DType::kFloat16}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {3}), u = b.input("u", t, {1});
    b.output(b.node(OpKind::kScatterElements, {x, b.ints({1}), u}, ScatterAttrs{}));
    EXPECT_EQ(has(problem(b.g), "'u' is float64, it must be float32 as 'x'"), t == DType::kDouble);
  }
}

// Files of optimised models have float16 weights beside float32 activations.
TEST(Types, WidthsMayDiffer) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {3}), h = b.input("h", DType::kFloat16, {3});
  const ValueId i = b.input("i", DType::kInt64, {3}), j = b.input("j", DType::kInt32, {3});
  b.output(b.node(OpKind::kBinary, {x, h}, BinaryAttrs{bb::kAdd}));
  b.output(b.node(OpKind::kBinary, {i, j}, BinaryAttrs{bb::kMul}));
  b.output(b.node(OpKind::kBinary, {x, i}, BinaryAttrs{bb::kPow}));
  EXPECT_EQ(problem(b.g), "");
}

}  // namespace
}  // namespace edgeconv_test
