// Numbers that graphs compute from sizes and whose sign or rounding depends on the dims: counts of windows, bounds of slices, fractions in floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "convert/infer/infer.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
using edgeconv::testing::S;
namespace bb = ert::params::binary;

void infer_without_problems(Graph& g) {
  Diagnostics d;
  infer(g, d);
  ASSERT_NO_THROW(d.check());
}

// Windows of 400 samples, 160 apart, as tf.signal.frame counts them: Range(0, Max(0, 1 + (N - 400) / 160), 1). The division truncates towards
// zero, so it is no size that could be planned for fewer than 400 samples.
ValueId frame_numbers(GraphBuilder& b) {
  const ValueId x = b.input("x", DType::kFloat, {S});
  const ValueId n = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(int64_t{0})}, AxisAttrs{0});
  const ValueId rest = b.node(OpKind::kBinary, {n, b.scalar(int64_t{400})}, BinaryAttrs{bb::kSub});
  const ValueId steps = b.node(OpKind::kBinary, {rest, b.scalar(int64_t{160})}, BinaryAttrs{bb::kDiv});
  const ValueId count = b.node(OpKind::kBinary, {steps, b.scalar(int64_t{1})}, BinaryAttrs{bb::kAdd});
  const ValueId frames = b.node(OpKind::kBinary, {count, b.scalar(int64_t{0})}, BinaryAttrs{bb::kMax});
  return b.node(OpKind::kRange, {b.scalar(int64_t{0}), frames, b.scalar(int64_t{1})});
}

TEST(SizeNumbers, DimsBeginWhereACountOfFramesIsDefined) {
  GraphBuilder b;
  const ValueId numbers = frame_numbers(b);
  b.output(numbers);
  Diagnostics d;
  infer(b.g, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_EQ(b.g.least_dims[S.symbol_name()], 400);
  ASSERT_EQ(d.warnings().size(), 1u);
  EXPECT_NE(d.warnings()[0].find("begins at 400"), std::string::npos) << d.warnings()[0];
  for (const auto& [samples, frames] : {std::pair(400, 1), std::pair(559, 1), std::pair(560, 2), std::pair(16000, 98)})
    EXPECT_EQ((*b.g.value(numbers).shape)[0].evaluate({{S.symbol_name(), samples}}), frames) << samples;
}

// A bound that counts from the end for small sizes only is a position for all of them.
TEST(SizeNumbers, BoundsOfEitherSignArePositions) {
  for (const bool backward : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {S}), z = b.input("z", DType::kFloat, {B});
    const ValueId start = b.node(OpKind::kBinary, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.node(OpKind::kShape, {z}, ShapeAttrs{})},
                                 BinaryAttrs{bb::kSub});
    const ValueId y = b.node(OpKind::kSlice, {x, start, b.ints({backward ? INT64_MIN : INT64_MAX}), b.ints({0}), b.ints({backward ? -1 : 1})});
    b.output(y);
    infer_without_problems(b.g);
    EXPECT_LE(b.g.least_dims[S.symbol_name()], 1);
    for (int64_t s = 1; s <= 9; ++s)
      for (int64_t t = 1; t <= 9; ++t) {
        const int64_t bound = s - t, at = std::clamp<int64_t>(bound < 0 ? bound + s : bound, 0, backward ? s - 1 : s);
        EXPECT_EQ((*b.g.value(y).shape)[0].evaluate({{S.symbol_name(), s}, {B.symbol_name(), t}}), backward ? at + 1 : s - at) << s << " " << t;
      }
  }
}

// floor(S / 3), ceil(S / 3), int(S * 0.5), int((S - 4) / 2.0 + 1): sizes that exporters compute in floats.
TEST(SizeNumbers, FractionsOfSizesAreRoundedAsFloatsAre) {
  using Function = int64_t (*)(int64_t);
  enum Form { kFloor, kCeil, kHalf, kWindows };
  for (const auto& [form, want] : {std::pair<Form, Function>(kFloor, [](int64_t s) { return s / 3; }),
                                   {kCeil, [](int64_t s) { return (s + 2) / 3; }},
                                   {kHalf, [](int64_t s) { return s / 2; }},
                                   {kWindows, [](int64_t s) { return (s - 4) / 2 + 1; }}}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {S});
    const ValueId size = b.node(OpKind::kCast, {b.node(OpKind::kShape, {x}, ShapeAttrs{})}, CastAttrs{DType::kFloat});
    ValueId y = kNone;
    if (form == kFloor || form == kCeil)
      y = b.node(OpKind::kUnary, {b.node(OpKind::kBinary, {size, b.scalar(3.0f)}, BinaryAttrs{bb::kDiv})},
                 UnaryAttrs{form == kFloor ? ert::params::unary::kFloor : ert::params::unary::kCeil, 0});
    else if (form == kHalf)
      y = b.node(OpKind::kBinary, {size, b.scalar(0.5f)}, BinaryAttrs{bb::kMul});
    else
      y = b.node(OpKind::kBinary,
                 {b.node(OpKind::kBinary, {b.node(OpKind::kBinary, {size, b.scalar(4.0f)}, BinaryAttrs{bb::kSub}), b.scalar(2.0f)},
                         BinaryAttrs{bb::kDiv}),
                  b.scalar(1.0f)},
                 BinaryAttrs{bb::kAdd});
    const ValueId whole = b.node(OpKind::kCast, {y}, CastAttrs{DType::kInt64});
    const ValueId part = b.node(OpKind::kSlice, {x, b.ints({0}), whole, b.ints({0}), b.ints({1})});
    b.output(part);
    infer_without_problems(b.g);
    ASSERT_TRUE(b.g.value(whole).elements) << form;
    for (int64_t s = 4; s < 40; ++s)
      EXPECT_EQ((*b.g.value(whole).elements)[0].evaluate({{S.symbol_name(), s}}), want(s)) << form << " " << s;
  }
}

// What is decided without it stays as it is for all sizes.
TEST(SizeNumbers, NoDimIsRaisedForANumberThatNobodyNeeds) {
  GraphBuilder b;
  const ValueId numbers = frame_numbers(b);
  (void)numbers;
  b.g.nodes.back().dead = true;  // the Range
  b.output(b.g.nodes[b.g.nodes.size() - 2].outputs[0]);
  Diagnostics d;
  infer(b.g, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_TRUE(d.warnings().empty());
  EXPECT_LE(b.g.least_dims[S.symbol_name()], 1);
}

// Ended in an internal error: the runtime refused a sum over 800 axes (found by mutated models). Axes that are named twice are what ONNX Runtime takes.
TEST(SizeNumbers, AxesOfAReductionAreAVectorOfIntegers) {
  for (const bool vector : {true, false}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {B, 3, 4});
    const ValueId axes = vector ? b.ints({1, -2})
                                : b.g.add_constant("mask", Tensor::of<uint8_t>(DType::kBool, {2, 2}, {1, 0, 1, 0}));
    const ValueId y = b.node(OpKind::kReduce, {x, axes}, ReduceAttrs{ert::params::reduce::kSum, {}, true, false});
    b.output(y);
    Diagnostics d;
    infer(b.g, d);
    if (vector) {
      ASSERT_NO_THROW(d.check());
      EXPECT_EQ(*b.g.value(y).shape, (Shape{B, 1, 4}));
      continue;
    }
    try {
      d.check();
      ADD_FAILURE() << "no error";
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kMalformed) << e.what();
    }
  }
}

}  // namespace
}  // namespace edgeconv_test
