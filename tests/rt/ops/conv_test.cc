// Conv against what it stands for: patches made one element at a time from the definition, and a Linear over them, bit for bit. The harness
// runs every case on one thread and on three.
#include <gtest/gtest.h>

#include "tests/rt/ops/conv_case.h"

namespace ert::test {
namespace {

namespace lin = params::linear;
namespace cnv = params::conv;

void expect_is_linear_over_patches(const ConvCase& c) {
  OpCase conv = conv_case(c);
  ASSERT_EQ(run(conv), ERT_OK);
  OpCase linear = conv;
  linear.def = &kOpLinear;
  linear.inputs[lin::kX] = f32(c.map(true, c.depth()), patches_of(c, conv.inputs[lin::kX].as<float>()));
  linear.ints = {c.precision, c.activation};
  ASSERT_EQ(run(linear), ERT_OK);
  EXPECT_EQ(conv.outputs[0].as<float>(), linear.outputs[0].as<float>());
  OpCase copy = conv;
  copy.inputs.resize(1);
  copy.ints[cnv::kPrecision] = lin::kF32;
  copy.ints[cnv::kActivation] = lin::kNoActivation;
  copy.outputs = {empty(ERT_F32, c.map(true, c.depth()))};
  ASSERT_EQ(run(copy), ERT_OK);
  EXPECT_EQ(copy.outputs[0].as<float>(), linear.inputs[lin::kX].as<float>()) << "the patches as a value";
}

TEST(Conv, LeakyReluHasItsSlope) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
    OpCase plain = conv_case({{{7, 3, 1, 1, 1, 1}, {9, 3}}, 2, 4, 0, 4, 18, precision});
    ASSERT_EQ(run(plain), ERT_OK);
    OpCase leaky = plain;
    leaky.ints[cnv::kActivation] = params::unary::kLeakyRelu;
    leaky.floats = {0.25f};
    ASSERT_EQ(run(leaky), ERT_OK);
    std::vector<float> want = plain.outputs[0].as<float>();
    for (float& v : want) v = v < 0 ? 0.25f * v : v;
    EXPECT_EQ(leaky.outputs[0].as<float>(), want);
  }
}

TEST(Conv, OneAxisOfEveryKernelStrideAndDilation) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        const ConvAxis axis{9, kernel, stride, dilation, reach / 2, reach - reach / 2};
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << " stride " << stride << " dilation " << dilation);
        const int32_t precision = (kernel + stride + dilation) % 3;
        expect_is_linear_over_patches({{axis}, 2, 3, 0, 3, 5, precision, kConvRelu});
      }
}

TEST(Conv, TwoAxesOfEveryKernelStrideAndDilation) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        const ConvAxis rows{5, kernel, stride, dilation, reach, 1}, columns{7, 12 - kernel, 5 - stride, 1, 11 - kernel, 2};
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << " stride " << stride << " dilation " << dilation);
        const int32_t precision = (kernel + stride + dilation) % 3;
        expect_is_linear_over_patches({{rows, columns}, 1, 2, 0, 2, 4, precision, lin::kNoActivation});
        expect_is_linear_over_patches({{columns, rows}, 1, 2, 0, 2, 4, precision, lin::kNoActivation, false});
      }
}

TEST(Conv, PaddingMayBeWiderThanTheInputOrCropIt) {
  for (int32_t begin = -3; begin <= 8; ++begin)
    for (int32_t end = -3; end <= 8; ++end) {
      const ConvAxis axis{4, 3, 1, 1, begin, end};
      if (!axis.fits()) continue;
      SCOPED_TRACE(testing::Message() << begin << ' ' << end);
      expect_is_linear_over_patches({{axis}});
      expect_is_linear_over_patches({{axis, {3, 2, 2, 1, 0, 1}}});
      expect_is_linear_over_patches({{{3, 2, 2, 1, 0, 1}, axis}});
    }
}

// A patch that is read where it stands has no neighbour: pointers of 32 bits wrapped (UndefinedBehaviorSanitizer on i686).
TEST(Conv, AStrideBehindTheOnlyOutputMayBeAnyNumber) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
    const ConvAxis wide{1, 1, INT32_MAX, INT32_MAX};
    expect_is_linear_over_patches({{wide, wide}, 2, 33, 0, 33, 5, precision});
    expect_is_linear_over_patches({{{5, 3, INT32_MAX}}, 1, 6, 0, 6, 5, precision});
  }
}

TEST(Conv, GroupsReadTheirOwnChannels) {
  for (int32_t first = 0; first < 12; first += 3)
    for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
      expect_is_linear_over_patches({{{9, 3, 1, 1, 1, 1}}, 2, 12, first, 3, 5, precision});
      expect_is_linear_over_patches({{{9, 1, 2}}, 2, 12, first, 3, 5, precision});
      expect_is_linear_over_patches({{{4, 2}, {6, 3, 2, 1, 1, 1}}, 2, 12, first, 3, 5, precision});
    }
}

// They are gathered as strips, as many at a time as there is room for.
TEST(Conv, OverlappingPatchesOfSomeChannels) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16})
    for (int32_t stride : {1, 2, 4, 5})
      for (int32_t count : {4, 200}) {
        expect_is_linear_over_patches({{{150, 5, stride, 1, 2, 2}}, 2, count + 5, 3, count, 5, precision});
        expect_is_linear_over_patches({{{3}, {41, 5, stride, 1, 4, 7}}, 2, count + 5, 3, count, 5, precision});
      }
}

// More rows than a block has, of every depth that changes how many those are, and more columns than a group of threads shares.
TEST(Conv, BlocksAndColumnsChangeNoBit) {
  for (int32_t channels : {1, 8, 64, 130})
    for (int32_t filters : {1, 16, 40, 200})
      for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
        expect_is_linear_over_patches(
            {{{11, 3, 1, 1, 1, 1}, {13, 3, 1, 1, 1, 1}}, 1, channels, 0, channels, filters, precision, kConvRelu});
        expect_is_linear_over_patches({{{3, 3}, {6, 3}}, 1, channels, 0, channels, filters, precision, kConvRelu});
      }
}

TEST(Conv, ReadsEveryLayoutOfWeights) {
  for (const uint8_t layout : {params::kPackedN16K4, params::kPackedN8K8, params::kPackedN2K16})
    for (int32_t precision : {lin::kInt8, lin::kInt8A16}) {
      ConvCase c{{{7, 3, 1, 1, 1, 1}, {9, 3, 2, 1, 1, 1}}, 2, 5, 0, 5, 19, precision, kConvRelu};
      c.layout = layout;
      expect_is_linear_over_patches(c);
    }
}

// Weights above 1 MiB take larger blocks.
TEST(Conv, LargeWeightsChangeNoBit) {
  expect_is_linear_over_patches({{{12, 3, 1, 1, 1, 1}, {13, 3, 1, 1, 1, 1}}, 1, 120, 0, 120, 1000});
}

TEST(Conv, ScratchDoesNotGrowWithTheMap) {
  const auto scratch = [](int32_t size, int32_t precision) {
    return scratch_bytes(conv_case({{{size, 3}, {size, 3}}, 1, 16, 0, 16, 24, precision}));
  };
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
    EXPECT_EQ(scratch(20, precision), scratch(60, precision));
    EXPECT_LT(scratch(60, precision), 64u << 10);
  }
  EXPECT_EQ(macs(conv_case({{{8, 3}, {9, 2}}, 2, 4, 1, 3, 5})), 2u * 6 * 8 * 5 * 18);
}

TEST(Conv, RefusesWrongOperands) {
  const OpCase good = conv_case({{{8, 3, 1, 1, 1, 1}, {9, 2}}, 2, 4, 1, 3, 16});
  ASSERT_TRUE(prepares(good));
  const auto refuses = [&](const std::function<void(OpCase&)>& spoil) {
    OpCase c = good;
    spoil(c);
    return !prepares(c);
  };
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kPrecision] = 3; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kPrecision] = lin::kF32; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kActivation] = -2; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kFirstChannel] = -1; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kFirstChannel] = 2; }));  // channels 2 to 4 of 4
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kFirstChannel] = INT32_MAX; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kChannels] = 0; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kChannels] = 2; }));  // not the depth of the weights
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kWindow] = 2; }));    // nor this
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kSharedColumns] = -1; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kSharedColumns] = 16; }));                      // of three channels
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kActivation] = params::unary::kLeakyRelu; }));  // without its slope
  EXPECT_TRUE(refuses([](OpCase& c) { c.floats = {0.5f}; }));                                     // of nothing
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.pop_back(); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.push_back(0); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dims[1] = 17; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].constant = false; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kColsum] = empty(ERT_I32, {15}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kBias] = empty(ERT_F32, {15}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kInvSmooth] = empty(ERT_F32, {3}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kX].dtype = ERT_I32; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {2, 9, 8, 16}); }));  // a window more than there are
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {2, 8, 8, 15}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs.resize(1); }));  // patches as a value have another depth, and no precision
}

}  // namespace
}  // namespace ert::test
