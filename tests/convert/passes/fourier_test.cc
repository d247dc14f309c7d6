// decompose_fourier and read_columns: products with tables give what the interpreter's transforms give.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr float kTolerance = 1e-4f;  // sums of up to some thousand elements

// x through one DFT.
GraphBuilder dft(Shape shape, DftAttrs a, std::optional<int64_t> length = {}) {
  GraphBuilder b;
  const ValueId x = b.input("x", std::move(shape));
  b.output(b.node(OpKind::kDft, {x, length ? b.constant(Tensor::scalar(*length)) : kNone}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_fourier}, kTolerance), 1);
  EXPECT_EQ(count(b.g, OpKind::kDft), 0);
  return b;
}

TEST(DecomposeFourier, TransformsOfConstantLength) {
  for (int64_t n = 1; n <= 17; ++n) {
    dft({B, n, 1}, {1, false, false});
    dft({B, n, 1}, {1, false, true});
    dft({B, n, 2}, {1, false, false});
    dft({B, n, 2}, {-2, true, false});
    if (n > 1) dft({B, n, 2}, {1, true, true});
  }
}

TEST(DecomposeFourier, AnyAxis) {
  dft({6, 2}, {0, false, false});
  dft({6, 1}, {0, true, false});
  dft({B, 6, 5, 2}, {1, false, false});
  dft({6, B, 3, 1}, {0, false, true});
  dft({2, 3, 4, 5, 2}, {-3, true, true});
}

TEST(DecomposeFourier, LengthsThatPadAndCut) {
  for (int64_t n : {4, 5, 9, 12})
    for (const Shape& shape : {Shape{B, 7, 2}, Shape{B, S, 2}}) {
      dft(shape, {1, false, false}, n);
      dft(shape, {1, true, false}, n);
      dft(shape, {1, true, true}, n);
    }
}

TEST(DecomposeFourier, LengthsThatAreDims) {
  for (bool inverse : {false, true})
    for (int64_t parts : {1, 2}) {
      dft({B, S, parts}, {1, inverse, false});
      dft({B, S, 3, parts}, {1, inverse, false});
      dft({S, parts}, {0, inverse, false});
      dft({B, S, 2, 3, parts}, {1, inverse, inverse});
    }
  dft({B, S, 1}, {1, false, true});
  dft({B, S, 2}, {1, true, true});
}

TEST(DecomposeFourier, LongTransformsAreDivided) {
  for (bool inverse : {false, true}) dft({1, 2048, 2}, {1, inverse, false});
  const GraphBuilder b = dft({1, 1200, 1}, {1, false, true});
  for (const Node& n : b.g.nodes) {
    if (!n.dead && n.kind == OpKind::kMatMul) {
      EXPECT_LE(b.g.value(n.in(1)).constant->dims()[0], 128);
    }
  }
  dft({1, 601, 2}, {1, true, true});
  dft({1, 1031, 1}, {1, false, true});  // a prime
}

TEST(DecomposeFourier, ThePrimeThatIsTooLongStays) {
  GraphBuilder b;
  b.output(b.node(OpKind::kDft, {b.input("x", {1, 4099, 1})}, DftAttrs{1, false, true}));
  EXPECT_EQ(apply(b.g, {pass_decompose_fourier}), 0);
}

struct StftCase {
  int64_t step, window, length;  // 0: none
  bool onesided = true, computed_window = false;
};

GraphBuilder stft(const Shape& shape, const StftCase& c) {
  GraphBuilder b;
  const ValueId x = b.input("x", shape);
  ValueId window = c.window ? b.weights({c.window}, 1) : kNone;
  if (c.computed_window) window = b.add(window, b.input("more", {c.window}));
  b.output(b.node(OpKind::kStft,
                  {x, b.constant(Tensor::scalar(c.step)), window, c.length ? b.constant(Tensor::scalar(c.length)) : kNone},
                  StftAttrs{c.onesided}));
  EXPECT_EQ(apply(b.g, {pass_decompose_fourier}, kTolerance), 1);
  EXPECT_EQ(count(b.g, OpKind::kStft), 0);
  return b;
}

TEST(DecomposeFourier, FramesOfEveryStep) {
  for (int64_t step = 1; step <= 9; ++step)
    for (int64_t n : {1, 4, 6, 7}) {
      stft({B, 30, 1}, {step, n, 0});
      stft({B, 31}, {step, 0, n, false});
      stft({B, 29, 2}, {step, n, n, false});
    }
  stft({B, S, 1}, {2, 4, 0});
  stft({B, S, 2}, {3, 5, 0, false});
  stft({B, 30, 1}, {4, 8, 0, true, true});
  stft({1, 4096, 1}, {512, 2048, 0});
  stft({B, 12, 1}, {5, 0, 0});
}

TEST(DecomposeFourier, PowerNeedsNoComplexTensor) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 40, 1});
  const ValueId y = b.node(OpKind::kStft, {x, b.constant(Tensor::scalar(int64_t{4})), b.weights({8}, 1)}, StftAttrs{});
  const ValueId t = b.transpose(y, {0, 2, 1, 3});
  b.output(b.node(OpKind::kReduce, {t}, ReduceAttrs{reduce::kL2, {-1}, false, false}));
  b.output(b.node(OpKind::kReduce, {b.pow(t, b.scalar(2))}, ReduceAttrs{reduce::kSum, {3}, true, false}));
  apply_all(b.g, kTolerance);
  EXPECT_EQ(count(b.g, OpKind::kReduce), 0);
  EXPECT_EQ(count(b.g, OpKind::kConcat), 0);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
}

// Token mixing: real numbers made complex, two transforms, and the real part of the result.
TEST(DecomposeFourier, TokenMixingComputesWhatIsRead) {
  for (const DimExpr& tokens : {DimExpr(6), S}) {
    GraphBuilder b;
    const ValueId x = b.node(OpKind::kUnsqueeze, {b.input("x", {B, tokens, 8}), b.ints({-1})}, AxesAttrs{{-1}});
    const ValueId zeros =
        b.node(OpKind::kConstantOfShape, {b.node(OpKind::kShape, {x}, ShapeAttrs{})}, FillAttrs{Tensor::scalar(0.0f)});
    const ValueId c = b.node(OpKind::kConcat, {x, zeros}, AxisAttrs{-1});
    const ValueId y = b.node(OpKind::kDft, {b.node(OpKind::kDft, {c}, DftAttrs{2, false, false})}, DftAttrs{1, false, false});
    b.output(b.node(OpKind::kGather, {y, b.constant(Tensor::scalar(int64_t{0}))}, AxisAttrs{3}));
    apply_all(b.g, kTolerance);
    EXPECT_EQ(count(b.g, OpKind::kLinear) + count(b.g, OpKind::kMatMul), tokens == S ? 4 : 3);
  }
}

TEST(ReadColumns, OnlyOfTwoThatStandSideBySide) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 1}), y = b.input("y", {B, S, 1});
  const ValueId both = b.node(OpKind::kConcat, {x, y}, AxisAttrs{2});
  const auto halves =
      b.node_with_outputs(OpKind::kSplit, {b.transpose(both, {2, 0, 1}), b.ints({1, 1})}, 2, SplitAttrs{0, {}, 0});
  b.output(halves[1]);
  b.output(b.node(OpKind::kSlice, {both, b.ints({-1}), b.ints({INT64_MAX}), b.ints({2}), b.ints({1})}));
  b.output(b.node(OpKind::kGather, {both, b.constant(Tensor::scalar(int64_t{-2}))}, AxisAttrs{2}));
  EXPECT_EQ(apply(b.g, {pass_read_columns}), 3);
  GraphBuilder three;
  const ValueId z = three.input("z", {B, S, 1});
  const ValueId all = three.node(OpKind::kConcat, {z, z, z}, AxisAttrs{2});
  three.output(three.node(OpKind::kGather, {all, three.constant(Tensor::scalar(int64_t{0}))}, AxisAttrs{2}));
  EXPECT_EQ(apply(three.g, {pass_read_columns}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
