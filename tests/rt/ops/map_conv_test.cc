// MapConv and MapDepthwiseConv against plain loops, over kernels, strides, dilations, padding and tails; and what prepare refuses.
#include <gtest/gtest.h>

#include "tests/rt/ops/map_case.h"

namespace ert::test {
namespace {

constexpr auto kRelu = static_cast<int32_t>(kernels::Unary::kRelu), kRelu6 = static_cast<int32_t>(kernels::Unary::kRelu6);

void check(const MapConvCase& c) {
  if (!c.fits()) return;
  SCOPED_TRACE(testing::Message() << (c.depthwise ? "depthwise " : "") << c.rows.size << "x" << c.columns.size << "x"
                                  << c.channels << " kernel " << c.rows.kernel << "x" << c.columns.kernel << " stride "
                                  << c.rows.stride << "x" << c.columns.stride << " dilation " << c.rows.dilation << "x"
                                  << c.columns.dilation << " padding " << c.rows.begin << "+" << c.rows.end << " "
                                  << c.columns.begin << "+" << c.columns.end << " filters " << c.n());
  const OpCase o = map_conv_case(c);
  const std::vector<float> want = plain_map_conv(c, o);
  ASSERT_EQ(run_for<float>(o), want);
  // A map of it: each row as QuantizeMap quantizes it.
  OpCase map = as_map(o, c.extras);
  run(map);
  OpCase quantize = {&kOpQuantizeMap,
                     {f32(c.out(), want), map.inputs[params::map_conv::kFactors]},
                     {empty(ERT_U8, c.out()), empty(ERT_I32, {c.batch, c.out()[1], 2})},
                     {},
                     {},
                     {}};
  run(quantize);
  EXPECT_EQ(map.outputs[0].bytes, quantize.outputs[0].bytes);
  EXPECT_EQ(map.outputs[1].bytes, quantize.outputs[1].bytes);
}

TEST(MapConv, KernelsStridesAndRowDilations) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        MapConvCase c;
        c.rows = {15, kernel, stride, dilation, reach / 2, reach - reach / 2};
        c.columns = {13, 1 + kernel % 4, 1 + (stride + kernel) % 3, 1, kernel % 3, kernel % 2};
        c.channels = 1 + kernel % 5;
        c.filters = 3 + 7 * stride;
        c.batch = 1 + kernel % 2;
        c.residual = kernel % 2 == 0;
        check(c);
        c.rows = {2 + reach, kernel, 1, dilation, 0, 0};
        c.columns = {17, kernel, stride, 1, kernel / 2, kernel - kernel / 2 - 1};
        c.extras = false;
        check(c);
      }
}

// 1 x 1 reads its rows where they lie, but for the last.
TEST(MapConv, TailsOfChannelsAndFilters) {
  for (int32_t size = 1; size <= 40; ++size) {
    MapConvCase c;
    c.rows = {5};
    c.columns = {7};
    c.channels = size;
    c.filters = 1 + size * 5 % 37;
    c.residual = true;
    check(c);
    c.rows = {6, 3, 1, 1, 1, 1};
    c.columns = {9, 3, 1, 1, 1, 1};
    check(c);
    c.depthwise = true;
    check(c);
  }
}

TEST(MapConv, OtherLayouts) {
  for (uint8_t layout : {params::kPackedN8K8, params::kPackedN2K16}) {
    MapConvCase c;
    c.layout = layout;
    c.rows = {6, 3, 2, 1, 1, 0};
    c.columns = {9, 3, 2, 1, 1, 1};
    for (c.channels = 1; c.channels <= 9; ++c.channels) check(c);
  }
}

TEST(MapConv, PaddingBeyondTheKernelAndCrops) {
  for (int32_t begin : {-3, -1, 0, 4, 9})
    for (int32_t end : {-2, 0, 7}) {
      MapConvCase c;
      c.rows = {6, 3, 1, 1, begin, end};
      c.columns = {8, 2, 1, 1, end, begin};
      check(c);
      c.depthwise = true;
      check(c);
    }
}

TEST(MapDepthwiseConv, KernelsStridesDilationsAndPadding) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        MapConvCase c;
        c.depthwise = true;
        c.rows = {9, kernel > 3 ? 3 : kernel, stride, 1, 1, 1};
        c.columns = {45, kernel, stride, dilation, reach / 2, reach - reach / 2};
        c.channels = 1 + 5 * kernel % 19;
        c.batch = 2;
        c.residual = kernel % 2 == 0;
        check(c);
        c.rows = {4 + reach, kernel, 1, dilation, 0, reach / 2};
        c.columns = {47, kernel, stride, dilation, 0, 0};
        check(c);
      }
}

TEST(MapConv, ActivationFollowsTheResidual) {
  for (bool depthwise : {false, true})
    for (bool residual : {false, true}) {
      MapConvCase c;
      c.depthwise = depthwise;
      c.residual = residual;
      c.rows = c.columns = {6, 3, 1, 1, 1, 1};
      const std::vector<float> want = plain_map_conv(c, map_conv_case(c));
      const auto each = [&](auto f) {
        std::vector<float> y = want;
        for (float& v : y) v = f(v);
        return y;
      };
      c.activation = kRelu;
      EXPECT_EQ(run_for<float>(map_conv_case(c)), each([](float v) { return v > 0 ? v : 0.0f; }));
      c.activation = kRelu6;
      EXPECT_EQ(run_for<float>(map_conv_case(c)), each([](float v) { return v < 0 ? 0.0f : v < 6 ? v : 6.0f; }));
      c.activation = params::unary::kLeakyRelu;
      EXPECT_EQ(run_for<float>(map_conv_case(c)), each([](float v) { return v < 0 ? v * 0.125f : v; }));
    }
}

// A row that overflowed gives NaN wherever it is met, and no other row's outputs change.
TEST(MapConv, NotANumberStaysInItsRows) {
  MapConvCase c;
  c.rows = {7, 3, 1, 1, 1, 1};
  c.columns = {5, 3, 1, 1, 1, 1};
  OpCase o = map_conv_case(c);
  const std::vector<float> before = run_for<float>(o);
  const float nan = std::nanf("");
  memcpy(o.inputs[1].bytes.data() + 8 * 2, &nan, sizeof nan);
  const std::vector<float> after = run_for<float>(o);
  const size_t row = before.size() / 7;
  for (size_t i = 0; i < before.size(); ++i) {
    if (i / row >= 1 && i / row <= 3) {
      EXPECT_TRUE(std::isnan(after[i])) << i;
    } else {
      EXPECT_EQ(after[i], before[i]) << i;
    }
  }
  OpCase map = as_map(o, false);
  run(map);
  EXPECT_TRUE(std::isnan(scale_of(map.outputs[1], 1)));
  EXPECT_FALSE(std::isnan(scale_of(map.outputs[1], 4)));
}

// Whatever a blob binds as scales: the low byte is the zero point.
TEST(MapConv, ZeroPointsOutOfRange) {
  MapConvCase c;
  c.rows = c.columns = {5, 3, 1, 1, 1, 1};
  OpCase o = map_conv_case(c);
  const std::vector<float> want = run_for<float>(o);
  for (size_t row = 0; row < 5; ++row) o.inputs[1].bytes[8 * row + 7] = 0x7f;
  EXPECT_EQ(run_for<float>(o), want);
}

TEST(MapConv, StepsThatAreNeverTakenMayBeAnyNumber) {
  constexpr int32_t kMost = INT32_MAX;
  MapConvCase c;
  c.rows = {1, 1, kMost, kMost};
  c.columns = {1, 1, kMost, 1};
  check(c);
  c.columns.dilation = params::kMaxExactDepth;
  c.depthwise = true;
  check(c);
}

TEST(MapConv, Refusals) {
  MapConvCase c;
  c.rows = {8, 3, 1, 1, 1, 1};
  c.columns = {9, 3, 1, 1, 1, 1};
  c.channels = 8;
  c.filters = 8;
  c.residual = true;
  for (bool depthwise : {false, true}) {
    c.depthwise = depthwise;
    const OpCase good = as_map(map_conv_case(c), true);
    ASSERT_TRUE(prepares(good));
    const auto refused = [&](auto change) {
      OpCase o = good;
      change(o);
      return !prepares(o);
    };
    namespace m = params::map_conv;
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kQ].dtype = ERT_I8; }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kScales] = empty(ERT_F32, {1, 8, 2}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kScales] = empty(ERT_I32, {1, 9, 2}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kScales] = empty(ERT_I32, {1, 8, 1}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kScales] = absent(); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kWeights].constant = false; }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kWeights].dims[0] -= 16; }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kWeights].dims[1] += 1; }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kWeights] = absent(); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kScale] = noisy({7}, 1); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kColsum] = empty(ERT_I32, {8}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kBias] = noisy({9}, 1); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kFactors] = noisy({9}, 1); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kResidual] = empty(ERT_U8, {1, 8, 9, 4}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kResidual] = absent(); })) << "scales of no residual";
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kResidualScales] = absent(); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.inputs[m::kResidualFactors] = noisy({7}, 1); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.outputs[1] = empty(ERT_I32, {1, 7, 2}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.outputs.pop_back(); })) << "a map without scales";
    EXPECT_TRUE(refused([](OpCase& o) { o.outputs[0] = empty(ERT_U8, {1, 8, 8, 8}); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.outputs = {empty(ERT_F32, {1, 8, 9, 8})}; })) << "factors of no map";
    EXPECT_TRUE(refused([](OpCase& o) { o.ints.pop_back(); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.ints[0] = static_cast<int32_t>(kernels::Unary::kCount); }));
    EXPECT_TRUE(refused([](OpCase& o) { o.ints[0] = params::unary::kLeakyRelu; })) << "no alpha";
    EXPECT_TRUE(refused([](OpCase& o) { o.floats = {1.0f}; }));
  }
  c.depthwise = false;
  c.rows = {20, 17, 1, 1, 0, 0};
  EXPECT_FALSE(prepares(map_conv_case(c))) << "more rows than kernels take";
  c.rows = {8, 3, 1, 1, 1, 1};
  c.columns = {9, 3, 1, 2, 2, 2};
  EXPECT_FALSE(prepares(map_conv_case(c))) << "dilated columns";
  c.depthwise = true;
  EXPECT_TRUE(prepares(map_conv_case(c)));
  c.columns = {90, 65, 1, 1, 0, 0};
  EXPECT_FALSE(prepares(map_conv_case(c))) << "more taps than kernels take";
}

TEST(MapConv, Macs) {
  MapConvCase c;
  c.rows = {8, 3, 1, 1, 1, 1};
  c.columns = {9, 3, 1, 1, 1, 1};
  EXPECT_EQ(macs(map_conv_case(c)), 8u * 9 * 5 * 9 * 4);
  c.depthwise = true;
  EXPECT_EQ(macs(map_conv_case(c)), 8u * 9 * 4 * 9);
}

}  // namespace
}  // namespace ert::test
