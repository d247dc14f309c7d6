// decompose_conv: convolutions of every form compute the same as a Linear over patches.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

struct ConvCase {
  std::vector<int64_t> kernel, strides, pads, dilations;
  int64_t group = 1, channels = 4, filters = 6;
  std::string auto_pad = "NOTSET";
  bool bias = true;
};

// x [B, channels, spatial..] through one Conv, all passes of `passes` applied; outputs must not change.
GraphBuilder conv(const ConvCase& c, Shape spatial) {
  GraphBuilder b;
  Shape shape{B, c.channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  std::vector<int64_t> weight{c.filters, c.channels / c.group};
  weight.insert(weight.end(), c.kernel.begin(), c.kernel.end());
  ConvAttrs a;
  a.kernel = c.kernel;
  a.strides = c.strides;
  a.pads = c.pads;
  a.dilations = c.dilations;
  a.group = c.group;
  a.auto_pad = c.auto_pad;
  b.output(b.node(OpKind::kConv, {b.input("x", shape), b.weights(weight), c.bias ? b.weights({c.filters}) : kNone}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_conv}), 1);
  EXPECT_EQ(count(b.g, OpKind::kConv), 0);
  return b;
}

// Columns of the weights of any Linear, at most.
int64_t widest(const Graph& g) {
  int64_t width = 0;
  for (const Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kLinear) width = std::max(width, g.value(n.in(1)).constant->dims()[1]);
  return width;
}

TEST(DecomposeConv, OneAxis) {
  for (const Shape& length : {Shape{9}, Shape{S}})
    for (bool bias : {false, true}) {
      conv({{1}, {1}, {0, 0}, {1}, 1, 4, 6, "NOTSET", bias}, length);
      conv({{3}, {1}, {1, 1}, {1}, 1, 4, 6, "NOTSET", bias}, length);
      conv({{3}, {2}, {0, 0}, {1}, 1, 4, 6, "NOTSET", bias}, length);
      conv({{3}, {2}, {2, 1}, {1}, 1, 4, 6, "NOTSET", bias}, length);
      conv({{3}, {1}, {0, 0}, {2}, 1, 4, 6, "NOTSET", bias}, length);
      conv({{4}, {3}, {3, 0}, {1}, 1, 4, 6, "NOTSET", bias}, length);
    }
}

TEST(DecomposeConv, WideGroupsHaveALinearEach) {
  EXPECT_EQ(count(conv({{3}, {1}, {1, 1}, {1}, 2, 4, 34}, {S}).g, OpKind::kLinear), 2);
  EXPECT_EQ(count(conv({{3}, {2}, {1, 1}, {1}, 3, 6, 51}, {S}).g, OpKind::kLinear), 3);
  conv({{2, 3}, {1, 2}, {1, 1, 0, 1}, {1, 1}, 2, 4, 40}, {5, 7});
}

// RegNet has up to 46 groups of 8 channels.
TEST(DecomposeConv, NarrowGroupsShareALinear) {
  const auto linears = [](const ConvCase& c, const Shape& spatial) {
    const GraphBuilder b = conv(c, spatial);
    const int made = count(b.g, OpKind::kLinear);
    EXPECT_LE(widest(b.g), made == 1 ? 32 : 16);
    return made;
  };
  EXPECT_EQ(linears({{3}, {1}, {1, 1}, {1}, 2, 4, 6}, {S}), 1);
  EXPECT_EQ(linears({{1}, {1}, {0, 0}, {1}, 2, 4, 6}, {S}), 1) << "the map as it is";
  EXPECT_EQ(linears({{3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 6, 48, 48}, {6, S}), 3);
  EXPECT_EQ(linears({{3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 5, 40, 40}, {6, S}), 5) << "two, two, and one would not be alike";
  EXPECT_EQ(linears({{3}, {1}, {1, 1}, {1}, 9, 18, 45, "NOTSET", false}, {S}), 3) << "three each";
  EXPECT_EQ(linears({{1}, {2}, {0, 0}, {1}, 8, 16, 32}, {S}), 1) << "two panels need no Concat";
  EXPECT_EQ(linears({{3}, {1}, {1, 1}, {1}, 2, 172, 32}, {S}), 2) << "two panels, each as deep as both groups, are twice the products";
  EXPECT_EQ(linears({{3}, {1}, {1, 1}, {1}, 12, 1152, 48}, {S}), 12) << "rows of 288 values";
  EXPECT_EQ(linears({{2, 2, 2}, {1, 2, 1}, {0, 0, 0, 1, 1, 1}, {1, 1, 1}, 4, 8, 40}, {4, 5, 3}), 4) << "copied patches";
  EXPECT_EQ(linears({{2, 2, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 6, 12, 48}, {4, 6, 4}), 3) << "tiles";
}

TEST(DecomposeConv, DepthwiseIsAnOpOfItsOwn) {
  const GraphBuilder b = conv({{3}, {1}, {1, 1}, {1}, 4, 4, 4}, {S});
  EXPECT_EQ(count(b.g, OpKind::kLinear), 0);
  EXPECT_EQ(count(b.g, OpKind::kDepthwiseConv), 1);
  EXPECT_EQ(count(conv({{3, 2}, {2, 1}, {1, 0, 1, 1}, {1, 1}, 4, 4, 4}, {5, 6}).g, OpKind::kDepthwiseConv), 1);
  EXPECT_EQ(count(conv({{3}, {2}, {2, 5}, {3}, 4, 4, 4}, {S}).g, OpKind::kDepthwiseConv), 1);
  EXPECT_EQ(count(conv({{2, 3, 2}, {1, 2, 1}, {0, 1, 0, 1, 1, 0}, {1, 1, 1}, 4, 4, 4}, {4, 5, 3}).g, OpKind::kDepthwiseConv), 2)
      << "three axes: one for each position along the first";
}

TEST(DecomposeConv, SeveralFiltersAChannelReadItAgain) {
  const GraphBuilder b = conv({{3}, {1}, {1, 1}, {1}, 4, 4, 8}, {S});
  EXPECT_EQ(count(b.g, OpKind::kDepthwiseConv), 1);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 0);
  EXPECT_EQ(count(conv({{3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 4, 4, 12}, {5, 6}).g, OpKind::kDepthwiseConv), 1);
}

TEST(DecomposeConv, TwoAndThreeAxes) {
  conv({{3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, {6, S});
  conv({{2, 3}, {2, 1}, {0, 1, 1, 0}, {1, 2}}, {7, 8});
  conv({{2, 2, 2}, {1, 2, 1}, {0, 0, 0, 1, 1, 1}, {1, 1, 1}, 1, 2, 3}, {4, 5, 3});
}

// Patches of one or two axes are one node, whatever the kernel, and each group reads its own channels of the map.
TEST(DecomposeConv, PatchesAreOneNode) {
  const auto expect_patches = [](const GraphBuilder& b, int nodes) {
    EXPECT_EQ(count(b.g, OpKind::kPatches), nodes);
    EXPECT_EQ(count(b.g, OpKind::kLinear), nodes);
    EXPECT_EQ(count(b.g, OpKind::kPad) + count(b.g, OpKind::kSlice) + count(b.g, OpKind::kGather), 0);
    EXPECT_EQ(count(b.g, OpKind::kConcat), nodes > 1 ? 1 : 0) << "of the groups";
  };
  expect_patches(conv({{3}, {1}, {1, 1}, {1}}, {S}), 1);
  expect_patches(conv({{10}, {5}, {0, 0}, {1}, 1, 1, 40}, {37}), 1);
  expect_patches(conv({{12}, {1}, {6, 6}, {1}, 2, 4, 34}, {S}), 2);
  expect_patches(conv({{9}, {2}, {3, 5}, {3}, 1, 4, 6}, {40}), 1);
  expect_patches(conv({{4, 2}, {4, 2}, {0, 0, 0, 0}, {1, 1}}, {9, S}), 1);
  expect_patches(conv({{6, 6}, {4, 5}, {0, 0, 0, 0}, {1, 1}, 1, 2, 6}, {16, 22}), 1);
  expect_patches(conv({{4, 5}, {2, 1}, {1, 2, 3, 4}, {1, 2}, 2, 4, 34}, {8, S}), 2);
  expect_patches(conv({{1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}}, {8, S}), 1);
  expect_patches(conv({{1500}, {100}, {0, 0}, {1}, 1, 1, 3}, {3000}), 1);
}

TEST(DecomposeConv, OnePositionIsALinearOverTheMap) {
  EXPECT_EQ(count(conv({{1}, {1}, {0, 0}, {1}}, {S}).g, OpKind::kPatches), 0);
  EXPECT_EQ(count(conv({{1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}}, {5, S}).g, OpKind::kPatches), 0);
  EXPECT_EQ(count(conv({{1, 1}, {1, 1}, {0, 1, 0, 0}, {1, 1}}, {5, S}).g, OpKind::kPatches), 1) << "padded";
}

TEST(DecomposeConv, PositionsAlongTheFirstAxesAreChannels) {
  const auto expect_copies = [](const ConvCase& c, const Shape& spatial, int copies, OpKind of, int nodes) {
    const GraphBuilder b = conv(c, spatial);
    EXPECT_EQ(count(b.g, of), nodes);
    EXPECT_EQ(count(b.g, OpKind::kPad) + count(b.g, OpKind::kSlice), copies);
  };
  // A kernel of one position there needs none: the axis is part of the batch.
  expect_copies({{1, 3, 3}, {1, 1, 1}, {0, 1, 1, 0, 1, 1}, {1, 1, 1}}, {1, 5, S}, 0, OpKind::kPatches, 1);
  expect_copies({{1, 3, 3}, {1, 2, 2}, {0, 1, 1, 0, 1, 1}, {1, 1, 1}, 1, 2, 3}, {S, 5, 6}, 0, OpKind::kPatches, 1);
  expect_copies({{1, 2, 3}, {2, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1, 2, 3}, {7, 5, 6}, 1, OpKind::kPatches, 1);
  expect_copies({{3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}}, {S, 4, 4}, 2, OpKind::kPatches, 1);
  expect_copies({{3, 1, 1}, {1, 1, 1}, {1, 0, 0, 1, 0, 0}, {1, 1, 1}}, {5, 4, S}, 2, OpKind::kPatches, 0);
  expect_copies({{2, 2, 2, 2}, {1, 1, 2, 1}, {0, 0, 0, 0, 0, 0, 0, 0}, {2, 1, 1, 1}, 1, 2, 3}, {4, 3, 4, 3}, 4, OpKind::kPatches, 1);
  // Groups keep their channels together.
  expect_copies({{2, 3, 3}, {1, 1, 1}, {0, 1, 1, 0, 1, 1}, {1, 1, 1}, 2, 4, 34}, {4, 4, 4}, 2, OpKind::kPatches, 2);
  expect_copies({{3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}, 4, 4, 8}, {3, 4, 5}, 2, OpKind::kDepthwiseConv, 3);
}

// A file of 1.3 kB with 20 kernels of 500 positions took more than a minute.
TEST(DecomposeConv, LargeKernelsOfAModelHaveFewCopiesTogether) {
  GraphBuilder b;
  for (const int64_t kernel : {400, 400, 3, 400, 3})
    b.output(b.node(OpKind::kConv, {b.input("x", {1, 1, 400, 1, 1}), b.weights({1, 1, kernel, 1, 1}), kNone}, ConvAttrs{}));
  finish(b.g);
  Diagnostics d;
  EXPECT_EQ(pass_decompose_conv(b.g, d), 2);
  EXPECT_EQ(pass_decompose_conv(b.g, d), 0) << "nor the next time";
  EXPECT_EQ(count(b.g, OpKind::kConv), 3);
}

// The windows tile the input, and a change of layout is all that it takes.
TEST(DecomposeConv, TilesOfThreeAxesNeedNoCopies) {
  const ConvCase patches{{4, 2, 2}, {4, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1, 2, 3};
  const GraphBuilder b = conv(patches, {8, 6, 2});
  EXPECT_EQ(count(b.g, OpKind::kConcat) + count(b.g, OpKind::kPad) + count(b.g, OpKind::kSlice), 0);
  // What is left over is cut off; sizes may be dynamic.
  for (const Shape& size : {Shape{9, 6, 2}, Shape{8, 7, 2}, Shape{9, S, 2}}) {
    const GraphBuilder cut = conv(patches, size);
    EXPECT_EQ(count(cut.g, OpKind::kConcat) + count(cut.g, OpKind::kPad), 0);
    EXPECT_EQ(count(cut.g, OpKind::kSlice), 1);
  }
}

TEST(DecomposeConv, LeakyReluBecomesPartOfIt) {
  GraphBuilder b;
  ConvAttrs a;
  a.kernel = {3, 3};
  const ValueId y = b.node(OpKind::kConv, {b.input("x", {B, 4, 6, S}), b.weights({6, 4, 3, 3}), b.weights({6})}, a);
  b.output(b.node(OpKind::kUnary, {y}, UnaryAttrs{ert::params::unary::kLeakyRelu, 0.3f}));
  apply_all(b.g);
  EXPECT_EQ(count(b.g, OpKind::kUnary), 0) << b.g.dump();
  EXPECT_EQ(only(b.g, OpKind::kLinear).as<LinearAttrs>().activation, ert::params::unary::kLeakyRelu);
  EXPECT_EQ(only(b.g, OpKind::kLinear).as<LinearAttrs>().alpha, 0.3f);
}

TEST(DecomposeConv, AutomaticPadding) {
  for (const char* pad : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    conv({{4}, {1}, {}, {1}, 1, 4, 6, pad}, {S});
    conv({{4}, {3}, {}, {1}, 1, 4, 6, pad}, {11});
    conv({{3}, {1}, {}, {2}, 1, 4, 6, pad}, {S});
    for (int64_t kernel : {1, 2, 3, 5})
      for (int64_t stride : {2, 3}) conv({{kernel}, {stride}, {}, {1}, 1, 4, 6, pad}, {S});
    conv({{3}, {2}, {}, {1}, 4, 4, 4, pad}, {S});  // depthwise
    conv({{3, 2}, {2, 2}, {}, {1, 1}, 1, 4, 6, pad}, {S, 7});
  }
}

TEST(DecomposeConv, ComputedWeightsStay) {
  GraphBuilder b;
  ConvAttrs a;
  a.kernel = {3};
  b.output(b.node(OpKind::kConv, {b.input("x", {B, 4, 9}), b.input("w", {6, 4, 3})}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_conv}), 0);
}

}  // namespace

}  // namespace edgeconv::testing
