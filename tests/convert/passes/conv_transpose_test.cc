// decompose_conv_transpose: transposed convolutions of every form compute the same as a Conv whose phases are woven together.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

struct TransposedCase {
  std::vector<int64_t> kernel, strides, pads, dilations, output_padding, output_shape;
  int64_t group = 1, channels = 4, filters = 6;
  std::string auto_pad = "NOTSET";
  bool bias = true;
};

// x [B, channels, spatial..] through one ConvTranspose; outputs must not change.
GraphBuilder transposed(const TransposedCase& c, Shape spatial) {
  GraphBuilder b;
  Shape shape{B, c.channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  std::vector<int64_t> weight{c.channels, c.filters / c.group};
  weight.insert(weight.end(), c.kernel.begin(), c.kernel.end());
  const ConvTransposeAttrs a{c.kernel, c.strides, c.pads, c.dilations, c.output_padding, c.output_shape, c.group, c.auto_pad};
  b.output(b.node(OpKind::kConvTranspose, {b.input("x", shape), b.weights(weight), c.bias ? b.weights({c.filters}) : kNone}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_conv_transpose}), 1);
  EXPECT_EQ(count(b.g, OpKind::kConvTranspose), 0);
  return b;
}

TEST(DecomposeConvTranspose, OneAxis) {
  for (const Shape& length : {Shape{6}, Shape{S}})
    for (int64_t kernel = 1; kernel <= 5; ++kernel)
      for (int64_t stride = 1; stride <= 4; ++stride) {
        transposed({{kernel}, {stride}, {}, {}, {}, {}}, length);
        transposed({{kernel}, {stride}, {kernel / 2, kernel / 2}, {}, {stride - 1}, {}}, length);
        transposed({{kernel}, {stride}, {0, kernel / 2}, {2}, {}, {}}, length);
      }
}

TEST(DecomposeConvTranspose, PadsLargerThanTheStride) {
  transposed({{9}, {2}, {5, 0}, {}, {}, {}}, {S});
  transposed({{9}, {2}, {0, 7}, {}, {}, {}}, {S});
  transposed({{7}, {3}, {6, 3}, {}, {2}, {}}, {6});
  transposed({{3}, {1}, {9, 4}, {4}, {}, {}}, {9});
}

TEST(DecomposeConvTranspose, TwoAndThreeAxes) {
  transposed({{2, 2}, {2, 2}, {}, {}, {}, {}}, {3, S});
  transposed({{4, 4}, {2, 2}, {1, 1, 1, 1}, {}, {}, {}}, {3, S});
  transposed({{3, 4}, {1, 3}, {1, 0, 1, 2}, {2, 1}, {0, 1}, {}}, {4, 5});
  transposed({{2, 1, 3}, {2, 1, 2}, {0, 0, 1, 1, 0, 0}, {}, {}, {}}, {2, 3, 3});
}

// Was refused as "rank above 8": three axes, their phases, the groups and the filters are nine.
TEST(DecomposeConvTranspose, ThreeAxesWithPhasesHaveNoMoreThanEightAxes) {
  for (const auto& [group, filters] : {std::pair<int64_t, int64_t>{1, 6}, {2, 6}, {4, 4}})
    for (const std::vector<int64_t>& strides : {std::vector<int64_t>{2, 2, 2}, {2, 1, 3}, {1, 1, 2}}) {
      const GraphBuilder b = transposed({{3, 2, 3}, strides, {1, 0, 1, 0, 1, 0}, {}, {0, 0, 0}, {}, group, 4, filters}, {3, 2, S});
      for (const Value& v : b.g.values) EXPECT_LE(v.rank(), 8);
    }
}

TEST(DecomposeConvTranspose, AutomaticPadding) {
  for (const char* how : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    transposed({{4}, {3}, {}, {}, {}, {}, 1, 4, 6, how}, {S});
    transposed({{2}, {3}, {}, {}, {}, {}, 1, 4, 6, how}, {S});
    transposed({{5}, {2}, {}, {}, {1}, {}, 1, 4, 6, how}, {6});
  }
  transposed({{4}, {3}, {}, {}, {}, {17}}, {6});
  transposed({{4}, {3}, {}, {}, {}, {21}}, {6});
}

TEST(DecomposeConvTranspose, OneLinearComputesAllPhases) {
  GraphBuilder b = transposed({{16}, {8}, {4, 4}, {}, {}, {}}, {S});
  apply(b.g, {pass_decompose_conv});
  const Tensor& weights = *b.g.value(only(b.g, OpKind::kLinear).in(1)).constant;
  EXPECT_EQ(weights.dims(), (std::vector<int64_t>{2 * 4, 8 * 6})) << "no work is lost";
}

TEST(DecomposeConvTranspose, GroupsHaveALinearEach) {
  GraphBuilder b = transposed({{4}, {2}, {1, 1}, {}, {}, {}, 2, 4, 34}, {S});
  apply(b.g, {pass_decompose_conv});
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
  b = transposed({{4}, {2}, {1, 1}, {}, {}, {}, 2}, {S});
  apply(b.g, {pass_decompose_conv});
  EXPECT_EQ(count(b.g, OpKind::kLinear), 1) << "of both groups, which are narrow";
}

TEST(DecomposeConvTranspose, DepthwiseIsASumOfProducts) {
  GraphBuilder b = transposed({{4, 4}, {2, 2}, {1, 1, 1, 1}, {}, {}, {}, 4, 4, 4}, {3, S});
  apply(b.g, {pass_decompose_conv});
  EXPECT_EQ(count(b.g, OpKind::kLinear), 0);
  EXPECT_EQ(count(b.g, OpKind::kBinary), 4 + 3 + 1) << "of all 4 phases at once";
  transposed({{3}, {3}, {1, 0}, {2}, {}, {}, 4, 4, 4}, {S});
  transposed({{5}, {1}, {3, 1}, {}, {}, {}, 4, 4, 4, "NOTSET", false}, {7});
}

TEST(DecomposeConvTranspose, StridesFarAboveTheKernel) {
  transposed({{3}, {int64_t{1} << 30}, {}, {}, {}, {}}, {1});
  transposed({{3}, {40}, {}, {}, {}, {}}, {2});
  GraphBuilder b;
  ConvTransposeAttrs a;
  a.strides = {1 << 20};
  b.output(b.node(OpKind::kConvTranspose, {b.input("x", {1, 4, 2}), b.weights({4, 4, 3})}, a));
  finish(b.g);
  Diagnostics d;
  EXPECT_EQ(pass_decompose_conv_transpose(b.g, d), 0) << "tables of zeros";
}

TEST(DecomposeConvTranspose, ComputedWeightsStay) {
  GraphBuilder b;
  b.output(b.node(OpKind::kConvTranspose, {b.input("x", {1, 2, 5}), b.input("w", {2, 3, 4})}, ConvTransposeAttrs{}));
  EXPECT_EQ(apply(b.g, {pass_decompose_conv_transpose}), 0);
}

TEST(DecomposeConvTranspose, FunctionsOfTheResultChangeNoLayout) {
  GraphBuilder b;
  ConvTransposeAttrs up;
  up.strides = {4};
  up.pads = {2, 2};
  ValueId x = b.input("x", {B, 4, S});
  for (int i = 0; i < 3; ++i)
    x = b.node(OpKind::kUnary, {b.node(OpKind::kConvTranspose, {x, b.weights({4, 4, 8})}, up)},
               UnaryAttrs{unary::kLeakyRelu, 0.1f});
  b.output(x);
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kTranspose), 2) << "at the input and at the output";
}

TEST(DecomposeConvTranspose, WholePipeline) {
  GraphBuilder b;
  ConvTransposeAttrs up;
  up.strides = {2};
  up.pads = {1, 1};
  ConvAttrs same;
  same.pads = {1, 1};
  const ValueId x = b.node(OpKind::kConvTranspose, {b.input("x", {B, 4, S}), b.weights({4, 6, 4}), b.weights({6})}, up);
  b.output(b.node(OpKind::kConv, {x, b.weights({3, 6, 3})}, same));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 2);
}

}  // namespace

}  // namespace edgeconv::testing
