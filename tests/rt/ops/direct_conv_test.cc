// DirectConv against the Conv that it stands for, bit for bit, with channels last and first; and what prepare refuses.
#include <gtest/gtest.h>

#include "tests/rt/ops/conv_case.h"

namespace ert::test {
namespace {

namespace cnv = params::conv;
namespace direct = params::direct_conv;

ConvCase fp32_case(std::vector<ConvAxis> axes, int32_t batch, int32_t channels, int32_t filters, int32_t activation) {
  ConvCase c{std::move(axes), batch, channels, 0, channels, filters};
  c.precision = params::linear::kF32;
  c.activation = activation;
  return c;
}

// The same operands; x with its channels first if asked for.
OpCase direct_case(const ConvCase& c, const OpCase& conv, bool channels_first) {
  OpCase d = conv;
  d.def = &kOpDirectConv;
  d.ints = {c.activation, channels_first ? 1 : 0};
  d.ints.insert(d.ints.end(), conv.ints.begin() + cnv::kWindow, conv.ints.end());
  if (c.count < c.channels) d.ints.push_back(c.first);
  if (!channels_first) return d;
  const std::vector<float> x = conv.inputs[0].as<float>();
  const size_t channels = static_cast<size_t>(c.channels), places = x.size() / channels / static_cast<size_t>(c.batch);
  std::vector<float> moved(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t channel = i % channels, place = i / channels % places, map = i / channels / places;
    moved[(map * channels + channel) * places + place] = x[i];
  }
  Dims dims{c.batch, c.channels};
  for (const ConvAxis& a : c.axes) dims.push_back(a.size);
  d.inputs[0] = f32(dims, moved);
  return d;
}

void expect_is_conv(const ConvCase& c) {
  OpCase conv = conv_case(c);
  ASSERT_EQ(run(conv), ERT_OK);
  for (const bool channels_first : {false, true}) {
    OpCase d = direct_case(c, conv, channels_first);
    ASSERT_EQ(run(d), ERT_OK);
    EXPECT_EQ(d.outputs[0].bytes, conv.outputs[0].bytes) << (channels_first ? "channels first" : "channels last");
  }
}

TEST(DirectConv, TwoAxesOfEveryKernelStrideAndDilation) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << " stride " << stride << " dilation " << dilation);
        expect_is_conv(fp32_case(
            {{7, kernel > 3 ? 3 : kernel, stride, 1, 1, 1}, {23, kernel, stride, dilation, reach / 2, reach - reach / 2}}, 2,
            1 + kernel % 4, 7 + stride, kConvRelu));
      }
}

TEST(DirectConv, OneAxis) {
  for (int32_t kernel : {1, 2, 5, 16, 40})
    for (int32_t stride : {1, 3, 20}) expect_is_conv(fp32_case({{300, kernel, stride, 1, kernel / 2, 0}}, 3, 2, 33, -1));
}

TEST(DirectConv, PaddingBeyondTheKernelAndCropped) {
  expect_is_conv(fp32_case({{3, 3, 1, 1, 5, 2}, {2, 2, 3, 1, 4, 1}}, 1, 3, 17, kConvRelu));
  expect_is_conv(fp32_case({{9, 3, 2, 1, -2, -1}, {12, 2, 1, 2, -1, -3}}, 2, 5, 4, -1));
}

TEST(DirectConv, WideMapsAndManyFilters) {
  expect_is_conv(fp32_case({{40, 3, 2, 1, 0, 1}, {64, 3, 2, 1, 0, 1}}, 1, 3, 16, kConvRelu));
  expect_is_conv(fp32_case({{5, 3, 1, 1, 1, 1}, {70, 3, 1, 1, 1, 1}}, 1, 24, 70, kConvRelu));
}

// As the groups of a convolution are computed.
TEST(DirectConv, SomeChannels) {
  for (int32_t filters = 1; filters <= 9; ++filters)
    for (int32_t first : {0, 3, 9}) {
      ConvCase c = fp32_case({{6, 3, 1, 1, 1, 1}, {50, 1 + filters % 3, 1 + first % 2, 1, 1, 1}}, 2, 12, filters, kConvRelu);
      c.first = first;
      c.count = 3;
      expect_is_conv(c);
      c.axes.erase(c.axes.begin());
      expect_is_conv(c);
    }
}

// On a row of its own, as long as vectors of it have many ends.
TEST(DirectConv, FewFiltersOfRowsOfEveryLength) {
  for (int32_t size = 1; size <= 70; ++size) expect_is_conv(fp32_case({{2, 2}, {size}}, 1, 5, 3 + size % 7, -1));
}

TEST(DirectConv, LeakyReluHasItsSlope) {
  const ConvCase c = fp32_case({{7, 3, 1, 1, 1, 1}, {9, 3}}, 2, 4, 18, params::unary::kLeakyRelu);
  OpCase conv = conv_case(c);
  conv.floats = {0.25f};
  ASSERT_EQ(run(conv), ERT_OK);
  OpCase d = direct_case(c, conv, false);
  ASSERT_EQ(run(d), ERT_OK);
  EXPECT_EQ(d.outputs[0].bytes, conv.outputs[0].bytes);
}

// The same as a Binary kMax behind it.
TEST(DirectConv, WhatIsLessThanTheLeastResultBecomesIt) {
  const ConvCase c = fp32_case({{7, 3, 1, 1, 1, 1}, {9, 3}}, 2, 4, 18, params::unary::kLeakyRelu);
  OpCase d = direct_case(c, conv_case(c), true);
  d.floats = {0.25f};
  ASSERT_EQ(run(d), ERT_OK);
  OpCase max{&kOpBinary, {d.outputs[0], f32({1}, {-0.3f})}, {empty(ERT_F32, d.outputs[0].dims)}, {params::binary::kMax}, {}, {}};
  ASSERT_EQ(run(max), ERT_OK);
  EXPECT_NE(max.outputs[0].bytes, d.outputs[0].bytes);
  d.floats = {0.25f, -0.3f};
  ASSERT_EQ(run(d), ERT_OK);
  EXPECT_EQ(d.outputs[0].bytes, max.outputs[0].bytes);
}

TEST(DirectConv, Refusals) {
  const ConvCase c = fp32_case({{8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}}, 1, 4, 16, kConvRelu);
  const OpCase good = direct_case(c, conv_case(c), true);
  ASSERT_TRUE(prepares(good));
  EXPECT_EQ(macs(good), 8u * 8 * 16 * 36);
  EXPECT_EQ(scratch_bytes(good), 0u);
  const auto refused = [&](auto change) {
    OpCase changed = good;
    change(changed);
    return !prepares(changed);
  };
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[direct::kChannelsFirst] = 0; })) << "8 channels, of which the weights have 4";
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[direct::kChannelsFirst] = 2; }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[direct::kActivation] = static_cast<int32_t>(kernels::Unary::kCount); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[direct::kActivation] = params::unary::kLeakyRelu; })) << "no slope";
  EXPECT_TRUE(refused([](OpCase& o) { o.floats = {0.5f}; })) << "a slope that nobody reads";
  EXPECT_TRUE(refused([](OpCase& o) {
    o.ints[direct::kActivation] = params::unary::kLeakyRelu;
    o.floats = {0.1f, 0.2f, 0.3f};
  }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = noisy({1, 4, 8, 9}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = noisy({1, 4}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.outputs[0] = empty(ERT_F32, {1, 8, 8, 15}); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.outputs[0] = empty(ERT_F32, {2, 8, 8, 16}); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1] = noisy({35, 16}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1] = noisy({36, 15}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[2] = noisy({15}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints.pop_back(); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints.push_back(0); })) << "all channels, of which the first is told";
}

TEST(DirectConv, RefusalsOfSomeChannels) {
  ConvCase c = fp32_case({{8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}}, 1, 6, 16, kConvRelu);
  c.first = 4;
  c.count = 2;
  for (const bool channels_first : {false, true}) {
    const OpCase good = direct_case(c, conv_case(c), channels_first);
    ASSERT_TRUE(prepares(good));
    EXPECT_EQ(macs(good), 8u * 8 * 16 * 18);
    const auto refused = [&](auto change) {
      OpCase changed = good;
      change(changed);
      return !prepares(changed);
    };
    for (const int32_t first : {-1, 5, 6, INT32_MAX, INT32_MIN}) EXPECT_TRUE(refused([&](OpCase& o) { o.ints.back() = first; })) << first;
    EXPECT_TRUE(refused([](OpCase& o) { o.ints.pop_back(); })) << "6 channels, of which the weights have 2";
    EXPECT_TRUE(refused([](OpCase& o) { o.ints.push_back(0); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1] = noisy({19, 16}, 1); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1] = noisy({8, 16}, 1); })) << "no channel at all";
  }
}

// As DepthwiseConv.StepsThatAreNeverTakenMayBeAnyNumber.
TEST(DirectConv, StepsThatAreNeverTakenMayBeAnyNumber) {
  constexpr int32_t kMost = INT32_MAX, kFar = (1 << 30) - 1;
  expect_is_conv(fp32_case({{1, 1, kMost, kMost}, {1, 1, kMost, kMost}}, 1, 5, 3, -1));
  expect_is_conv(fp32_case({{7, 3, 1, 2}, {9, 2, kMost, kFar, kFar, 0}}, 1, 3, 5, -1));
}

}  // namespace
}  // namespace ert::test
