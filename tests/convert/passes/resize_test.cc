// decompose_resize: a Resize whose sizes are known only at run time computes what the interpreter's Resize does.
#include <gtest/gtest.h>

#include <algorithm>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

const DimExpr H = DimExpr::symbol("height"), W = DimExpr::symbol("width");

// A 4 x 6 table resized to the two last axes of an input: 3 x 5 in the comparison, and by `factor` beyond that.
int resize(ResizeAttrs a, int64_t factor = 1) {
  GraphBuilder b;
  const ValueId image = b.input("image", {1, 2, H, W});
  const ValueId size = b.node(OpKind::kShape, {image}, ShapeAttrs{2, 4});
  const ValueId target = b.node(OpKind::kConcat, {b.ints({1, 2}), b.mul(size, b.ints({factor, 1}))}, AxisAttrs{0});
  b.output(b.node(OpKind::kResize, {b.weights({1, 2, 4, 6}), kNone, target}, a));
  return apply(b.g, {pass_decompose_resize});
}

ResizeAttrs attrs(ResizeAttrs::Mode mode, ResizeAttrs::Coordinates coordinates) {
  ResizeAttrs a;
  a.mode = mode;
  a.coordinates = coordinates;
  return a;
}

TEST(DecomposeResize, LinearAndCubicInAllCoordinates) {
  for (const auto mode : {ResizeAttrs::kLinear, ResizeAttrs::kCubic})
    for (const auto at : {ResizeAttrs::kHalfPixel, ResizeAttrs::kAlignCorners, ResizeAttrs::kAsymmetric})
      for (const int64_t factor : {1, 4}) EXPECT_EQ(resize(attrs(mode, at), factor), 1) << mode << " " << at;
  ResizeAttrs a = attrs(ResizeAttrs::kCubic, ResizeAttrs::kHalfPixel);
  a.cubic_a = -0.5f;
  EXPECT_EQ(resize(a), 1);
}

TEST(DecomposeResize, NearestRoundsDownExactly) {
  ResizeAttrs a = attrs(ResizeAttrs::kNearest, ResizeAttrs::kAsymmetric);
  a.rounding = ResizeAttrs::kFloor;
  EXPECT_EQ(resize(a), 1);
  EXPECT_EQ(resize(a, 7), 1);
}

// PyTorch's default of torch.onnx for nearest-exact; was refused.
TEST(DecomposeResize, NearestOfHalfPixels) {
  for (const auto rounding : {ResizeAttrs::kPreferFloor, ResizeAttrs::kPreferCeil})
    for (const int64_t factor : {1, 2, 3, 5}) {
      ResizeAttrs a = attrs(ResizeAttrs::kNearest, ResizeAttrs::kHalfPixel);
      a.rounding = rounding;
      EXPECT_EQ(resize(a, factor), 1) << factor;
    }
}

// A scale and a size that is open were refused for every rounding but down.
TEST(DecomposeResize, NearestByAWholeScaleOfADynamicSize) {
  for (const auto at : {ResizeAttrs::kHalfPixel, ResizeAttrs::kAsymmetric}) {
    GraphBuilder b;
    ResizeAttrs a = attrs(ResizeAttrs::kNearest, at);
    a.rounding = at == ResizeAttrs::kAsymmetric ? ResizeAttrs::kFloor : ResizeAttrs::kPreferFloor;
    b.output(b.node(OpKind::kResize, {b.input("x", {3, H, 7}), b.constant(Tensor::of<float>(DType::kFloat, {3}, {1, 3, 2}))}, a));
    EXPECT_EQ(apply(b.g, {pass_decompose_resize}), 1);
  }
}

TEST(DecomposeResize, ScalesOfComputedData) {
  for (const float scale : {2.0f, 0.5f}) {
    GraphBuilder b;
    const ValueId scales = b.constant(Tensor::of<float>(DType::kFloat, {2}, {scale, 1.3f}));
    ResizeAttrs a = attrs(ResizeAttrs::kLinear, ResizeAttrs::kHalfPixel);
    a.axes = {-2, -1};
    b.output(b.node(OpKind::kResize, {b.input("x", {3, H, 7}), scales}, a));
    EXPECT_EQ(apply(b.g, {pass_decompose_resize}), 1) << scale;
  }
}

// Of inputs in half precision, which were refused.
TEST(DecomposeResize, HalfPrecision) {
  for (const int64_t height : {8, 7}) {  // 7: the positions round, by constants
    for (const auto mode : {ResizeAttrs::kNearest, ResizeAttrs::kLinear, ResizeAttrs::kCubic}) {
      GraphBuilder b;
      const ValueId x = b.node(OpKind::kCast, {b.input("x", {1, 2, 4, 6})}, CastAttrs{DType::kFloat16});
      b.output(b.node(OpKind::kResize, {x, kNone, b.ints({1, 2, height, 12})}, attrs(mode, ResizeAttrs::kHalfPixel)));
      EXPECT_EQ(apply(b.g, {pass_decompose_resize}, 2e-3f), 1) << mode;
    }
  }
}

// Axes of the Gathers of a picture that is resized to this size, in their order.
std::vector<int64_t> axes_of_gathers(int64_t height, int64_t width) {
  GraphBuilder b;
  const ValueId size = b.ints({1, 2, height, width});
  b.output(b.node(OpKind::kResize, {b.input("x", {1, 2, 8, 8}), kNone, size}, attrs(ResizeAttrs::kLinear, ResizeAttrs::kHalfPixel)));
  EXPECT_EQ(apply(b.g, {pass_decompose_resize}), 1);
  std::vector<int64_t> axes;
  for (const Node& n : b.g.nodes)
    if (!n.dead && n.kind == OpKind::kGather) axes.push_back(n.as<AxisAttrs>().axis);
  return axes;
}

// Weights of columns go with single pixels: of most elements those of rows, which go with all of a row, took a third of the time.
TEST(DecomposeResize, ColumnsBeforeRowsAndSmallerBeforeLarger) {
  EXPECT_EQ(axes_of_gathers(16, 16), (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(axes_of_gathers(4, 16), (std::vector<int64_t>{2, 2, 3, 3}));
  EXPECT_EQ(axes_of_gathers(16, 4), (std::vector<int64_t>{3, 3, 2, 2}));
}

// Fixed sizes of computed data: constants express every mode, also where a scale is not a whole number of elements.
int resize_fixed(const ResizeAttrs& a, float scale) {
  GraphBuilder b;
  const ValueId scales = b.constant(Tensor::of<float>(DType::kFloat, {3}, {1, scale, 1.3f}));
  b.output(b.node(OpKind::kResize, {b.input("x", {H, 6, 5}), scales}, a));
  return apply(b.g, {pass_decompose_resize});
}

TEST(DecomposeResize, FixedSizesOfComputedDataAreConstants) {
  for (const float scale : {2.0f, 0.6f}) {
    for (const auto at : {ResizeAttrs::kHalfPixel, ResizeAttrs::kAlignCorners, ResizeAttrs::kSymmetricHalfPixel}) {
      for (const auto rounding : {ResizeAttrs::kPreferFloor, ResizeAttrs::kPreferCeil, ResizeAttrs::kFloor, ResizeAttrs::kCeil}) {
        ResizeAttrs a = attrs(ResizeAttrs::kNearest, at);
        a.rounding = rounding;
        EXPECT_EQ(resize_fixed(a, scale), 1) << at << " " << rounding;
      }
      for (const auto mode : {ResizeAttrs::kLinear, ResizeAttrs::kCubic}) {
        ResizeAttrs a = attrs(mode, at);
        a.antialias = true;
        EXPECT_EQ(resize_fixed(a, scale), 1) << mode << " " << at;
        a.antialias = false;
        a.exclude_outside = true;
        EXPECT_EQ(resize_fixed(a, scale), 1) << mode << " " << at;
      }
    }
  }
}

// Outputs before and after, with sizes from `least` to 40 of the one axis that is resized.
void same_at_all_sizes(const ResizeAttrs& a, float scale, int64_t least, OpKind made) {
  GraphBuilder b;
  b.output(b.node(OpKind::kResize, {b.input("x", {2, W}), b.constant(Tensor::of<float>(DType::kFloat, {2}, {1, scale}))}, a));
  finish(b.g);
  Graph plain = b.g;
  Diagnostics d;
  ASSERT_EQ(pass_decompose_resize(b.g, d), 1) << scale;
  b.g.remove_dead();
  finish(b.g);
  EXPECT_TRUE(std::any_of(b.g.nodes.begin(), b.g.nodes.end(), [&](const Node& n) { return n.kind == made; })) << scale;
  for (int64_t n = least; n <= 40; ++n) {
    std::vector<float> x;
    for (int64_t i = 0; i < 2 * n; ++i) x.push_back(static_cast<float>((i * 37 + 11) % 64) / 8);
    const std::vector<Tensor> input = {Tensor::of<float>(DType::kFloat, {2, n}, x)};
    const std::vector<float> want = interpret(plain, input)[0].to_float(), got = interpret(b.g, input)[0].to_float();
    ASSERT_EQ(got.size(), want.size()) << n;
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-4f) << scale << " of " << n << " at " << i;
  }
}

// F.interpolate(scale_factor=.5) of a dynamic axis was refused, with an advice about antialiasing.
TEST(DecomposeResize, NearestByTheInverseOfAWholeNumberIsASlice) {
  for (const int64_t step : {2, 3, 4, 5, 6}) {
    const float scale = 1 / static_cast<float>(step);
    for (const auto rounding : {ResizeAttrs::kFloor, ResizeAttrs::kPreferFloor}) {
      for (const auto at : {ResizeAttrs::kAsymmetric, ResizeAttrs::kHalfPixel}) {
        if (at == ResizeAttrs::kHalfPixel && rounding == ResizeAttrs::kFloor) continue;  // floor of positions that fp32 does not hold
        ResizeAttrs a = attrs(ResizeAttrs::kNearest, at);
        a.rounding = rounding;
        same_at_all_sizes(a, scale, step, OpKind::kSlice);
      }
    }
  }
}

// So was bilinear by PyTorch's half pixels, which takes the first element where the result has one only.
TEST(DecomposeResize, TorchHalfPixelsOfADynamicAxis) {
  for (const float scale : {0.5f, 1.0f / 3, 0.25f, 2.0f, 3.0f})
    for (const auto mode : {ResizeAttrs::kLinear, ResizeAttrs::kCubic})
      same_at_all_sizes(attrs(mode, ResizeAttrs::kTorchHalfPixel), scale, scale < 1 ? static_cast<int64_t>(1 / scale + 0.5f) : 1, OpKind::kGather);
  same_at_all_sizes(attrs(ResizeAttrs::kNearest, ResizeAttrs::kTorchHalfPixel), 2.0f, 1, OpKind::kGather);
}

TEST(DecomposeResize, OthersStay) {
  ResizeAttrs a = attrs(ResizeAttrs::kCubic, ResizeAttrs::kHalfPixel);
  a.antialias = true;
  EXPECT_EQ(resize(a), 0);
  EXPECT_EQ(resize(attrs(ResizeAttrs::kNearest, ResizeAttrs::kAsymmetric)), 0) << "ties of whole positions";
  EXPECT_EQ(resize(attrs(ResizeAttrs::kLinear, ResizeAttrs::kSymmetricHalfPixel)), 0);
}

}  // namespace

}  // namespace edgeconv::testing
