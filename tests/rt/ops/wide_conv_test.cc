// WideConv against its definition (NUMERICS.md section 3), bit for bit: rows of the map rounded one by one, sums of integers, fp32 joins. And what prepare refuses.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "tests/rt/ops/conv_case.h"

namespace ert::test {
namespace {

namespace wide = params::wide_conv;

struct WideCase {
  ConvCase conv;
  OpCase op;
  std::vector<int16_t> weights;  // [positions * channels, n]

  int32_t run() const {
    const bool whole = conv.axes.size() == 2 && conv.axes[1].dilation == 1;
    return whole ? conv.axes[1].kernel * conv.channels : conv.channels;
  }
};

WideCase wide_case(std::vector<ConvAxis> axes, int32_t batch, int32_t channels, int32_t filters, int32_t activation) {
  WideCase c{{std::move(axes), batch, channels, 0, channels, filters}, {}, {}};
  const int32_t k = c.conv.depth(), n = filters;
  for (const float v : noise(int64_t{k} * n, 3)) c.weights.push_back(static_cast<int16_t>(std::lround(2047 * v)));
  const int32_t run = c.run(), padded = run + run % 2, depth = k / run * padded;
  Tensor w;
  w.dtype = params::kPackedN16K2;
  w.dims = {n, depth};
  w.constant = true;
  w.bytes.resize(kernels::packed_bytes(kernels::Layout::kN16K2, static_cast<size_t>(n), static_cast<size_t>(depth)));
  for (int32_t i = 0; i < k; ++i)
    for (int32_t j = 0; j < n; ++j) {
      const size_t at = kernels::packed_offset(kernels::Layout::kN16K2, static_cast<size_t>(j), static_cast<size_t>(i / run * padded + i % run),
                                               static_cast<size_t>(depth));
      std::memcpy(w.bytes.data() + at, &c.weights[static_cast<size_t>(i * n + j)], sizeof(int16_t));
    }
  std::vector<float> scale;
  for (const float v : noise(n, 4)) scale.push_back(0.001f + 0.0005f * v);
  c.op = {&kOpWideConv, {noisy(c.conv.map(false, channels), 1), w, f32({n}, scale), f32({n}, noise(n, 5))}, {empty(ERT_F32, c.conv.map(true, n))}, {activation}, {}, {}};
  for (const ConvAxis& a : c.conv.axes) c.op.ints.insert(c.op.ints.end(), {a.kernel, a.stride, a.dilation, a.begin, a.end});
  return c;
}

// Rows of one axis are its places, of one column each.
std::vector<float> defined(const WideCase& c, float activation_alpha = 1.0f) {
  const bool frames = c.conv.axes.size() == 1;
  const ConvAxis rows = c.conv.axes[0], columns = frames ? ConvAxis{1} : c.conv.axes[1];
  const int32_t channels = c.conv.channels, n = c.conv.filters, run = c.run();
  const std::vector<float> x = c.op.inputs[0].as<float>(), scale = c.op.inputs[2].as<float>(),
                           bias = c.op.inputs[3].dtype != 0 ? c.op.inputs[3].as<float>() : std::vector<float>();
  const size_t width = static_cast<size_t>(columns.size * channels);
  std::vector<int32_t> q(x.size());
  std::vector<float> row_scale;
  for (size_t row = 0; row * width < x.size(); ++row) {
    float most = 0;
    for (size_t i = 0; i < width; ++i) most = std::max(most, std::abs(x[row * width + i]));
    const float inv = most > 0 ? kernels::kMaxQ13 / most : 0;
    for (size_t i = 0; i < width; ++i) q[row * width + i] = static_cast<int32_t>(std::nearbyint(x[row * width + i] * inv));
    row_scale.push_back(most / kernels::kMaxQ13);
  }
  std::vector<float> y;
  for (int32_t b = 0; b < c.conv.batch; ++b)
    for (int32_t r = 0; r < rows.out(); ++r)
      for (int32_t o = 0; o < columns.out(); ++o)
        for (int32_t j = 0; j < n; ++j) {
          float t = 0;
          for (int32_t i = 0; i < rows.kernel; ++i) {
            const int32_t in = r * rows.stride - rows.begin + i * rows.dilation;
            if (in < 0 || in >= rows.size) continue;
            const size_t row = static_cast<size_t>(b * rows.size + in);
            const int32_t values = columns.kernel * channels;
            for (int32_t first = 0; first < values; first += run)
              for (int32_t piece = first; piece < first + run; piece += static_cast<int32_t>(kernels::kWideBlock)) {
                int64_t acc = 0;
                for (int32_t v = piece; v < std::min(first + run, piece + static_cast<int32_t>(kernels::kWideBlock)); ++v) {
                  const int32_t column = o * columns.stride - columns.begin + v / channels * columns.dilation;
                  if (column < 0 || column >= columns.size) continue;
                  acc += int64_t{q[row * width + static_cast<size_t>(column * channels + v % channels)]} *
                         c.weights[static_cast<size_t>((i * values + v) * n + j)];
                }
                t = t + static_cast<float>(acc) * row_scale[row];
              }
          }
          float result = t * scale[static_cast<size_t>(j)];
          if (!bias.empty()) result = result + bias[static_cast<size_t>(j)];
          if (c.op.ints[0] == kConvRelu) result = result > 0 ? result : 0;
          if (c.op.ints[0] == params::unary::kLeakyRelu) result = result < 0 ? activation_alpha * result : result;
          y.push_back(result);
        }
  return y;
}

void expect_defined(const WideCase& c) {
  OpCase op = c.op;
  ASSERT_EQ(run(op), ERT_OK);
  EXPECT_EQ(op.outputs[0].as<float>(), defined(c));
}

TEST(WideConv, TwoAxesOfEveryKernelStrideAndDilation) {
  for (int32_t kernel = 1; kernel <= 7; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 3; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << " stride " << stride << " dilation " << dilation);
        expect_defined(wide_case({{7, kernel > 3 ? 3 : kernel, stride, 1, 1, 1}, {19, kernel, stride, dilation, reach / 2, reach - reach / 2}},
                                 2, 1 + kernel % 4, 7 + stride, kConvRelu));
        expect_defined(wide_case({{19, kernel, stride, dilation, reach / 2, reach - reach / 2}, {5, 3, 1, 1, 1, 1}}, 1, 3, 17, -1));
      }
}

TEST(WideConv, FramesOfOneAxisHaveScalesOfTheirOwn) {
  for (int32_t kernel : {1, 2, 5, 16})
    for (int32_t stride : {1, 3, 20})
      for (int32_t dilation : {1, 2}) expect_defined(wide_case({{150, kernel, stride, dilation, kernel / 2, 0}}, 3, 5, 33, -1));
}

TEST(WideConv, PaddingBeyondTheKernelAndCropped) {
  expect_defined(wide_case({{3, 3, 1, 1, 5, 2}, {2, 2, 3, 1, 4, 1}}, 1, 3, 17, kConvRelu));
  expect_defined(wide_case({{9, 3, 2, 1, -2, -1}, {12, 2, 1, 2, -1, -3}}, 2, 5, 4, -1));
  expect_defined(wide_case({{9, 3, 1, 1, -3, 1}}, 2, 5, 4, -1));
}

TEST(WideConv, LongRunsWideMapsAndManyFilters) {
  expect_defined(wide_case({{5, 3, 1, 1, 1, 1}, {9, 3, 1, 1, 1, 1}}, 1, 100, 20, -1));
  expect_defined(wide_case({{12, 3, 2, 1, 0, 1}, {90, 3, 2, 1, 0, 1}}, 1, 3, 70, kConvRelu));
}

TEST(WideConv, WithoutBiasAndWithASlope) {
  WideCase c = wide_case({{7, 3, 1, 1, 1, 1}, {9, 3}}, 2, 4, 18, params::unary::kLeakyRelu);
  c.op.inputs[3] = absent();
  c.op.floats = {0.25f};
  ASSERT_EQ(run(c.op), ERT_OK);
  EXPECT_EQ(c.op.outputs[0].as<float>(), defined(c, 0.25f));
}

TEST(WideConv, ARowThatOverflowsIsNaNWhereItIsRead) {
  WideCase c = wide_case({{6, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 1, 1}}, 1, 4, 3, -1);
  std::vector<float> x = c.op.inputs[0].as<float>();
  x[2 * 20 + 7] = INFINITY;
  c.op.inputs[0] = f32({1, 6, 5, 4}, x);
  ASSERT_EQ(run(c.op), ERT_OK);
  const std::vector<float> y = c.op.outputs[0].as<float>();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 15 >= 1 && i / 15 <= 3) << i;
}

TEST(WideConv, Refusals) {
  const OpCase good = wide_case({{8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}}, 1, 4, 16, kConvRelu).op;
  ASSERT_TRUE(prepares(good));
  EXPECT_EQ(macs(good), 8u * 8 * 16 * 36);
  const auto refused = [&](auto change) {
    OpCase changed = good;
    change(changed);
    return !prepares(changed);
  };
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[wide::kActivation] = static_cast<int32_t>(kernels::Unary::kCount); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints[wide::kActivation] = params::unary::kLeakyRelu; })) << "no slope";
  EXPECT_TRUE(refused([](OpCase& o) { o.floats = {0.5f}; })) << "a slope that nobody reads";
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = noisy({1, 8, 9, 4}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = noisy({1, 8, 8, 5}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = noisy({1, 4}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[0] = i32({1, 8, 8, 4}, std::vector<int32_t>(256)); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.outputs[0] = empty(ERT_F32, {1, 8, 8, 15}); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.outputs[0] = empty(ERT_F32, {2, 8, 8, 16}); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1].dtype = params::kPackedN16K4; }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1].constant = false; }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1].dims[1] = 34; }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[1].dims[0] = 32; }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[2] = noisy({15}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[2] = absent(); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.inputs[3] = noisy({15}, 1); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints.pop_back(); }));
  EXPECT_TRUE(refused([](OpCase& o) { o.ints.push_back(0); }));
}

// Sizes of padding and kernels that a blob may claim: what rows would take must not wrap.
TEST(WideConv, SizesThatNoMemoryHasAreRefused) {
  constexpr int32_t kHuge = 2147483647 - 8;
  WideCase c = wide_case({{8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}}, 1, 4, 16, -1);
  OpCase o = c.op;
  // One output far behind the map: kernel, padding and stride of the columns as large as ints are.
  o.ints = {-1, 3, 1, 1, 1, 1, kHuge, 1, 1, kHuge - 8, 0};
  o.outputs[0] = empty(ERT_F32, {1, 8, 1, 16});
  EXPECT_FALSE(prepares(o));
  o.ints = {-1, kHuge, 1, 1, kHuge - 8, 0, 3, 1, 1, 1, 1};
  o.outputs[0] = empty(ERT_F32, {1, 1, 8, 16});
  EXPECT_FALSE(prepares(o));
  o.ints = {-1, kHuge, 1, 1, kHuge - 8, 0, kHuge, 1, 1, kHuge - 8, 0};
  o.outputs[0] = empty(ERT_F32, {1, 1, 1, 16});
  EXPECT_FALSE(prepares(o));
}

// A stride between lines that are not there, or that are computed one by one, costs nothing: it was counted, and on 32 bits wrapped the work to 0.
TEST(WideConv, StridesThatAreNeverTakenAreNoSteps) {
  const WideCase one = wide_case({{8, 8, 1}, {8, 3, 1, 1, 1, 1}}, 1, 4, 16, -1);
  const uint64_t steps = further_steps(one.op);
  EXPECT_GE(steps, 8u * 10 * 4);
  OpCase o = one.op;
  o.ints[wide::kFirstWindowInt + params::window::kStride] = 2147483647;
  ASSERT_TRUE(prepares(o));
  EXPECT_EQ(further_steps(o), steps);
  ASSERT_EQ(run(o), ERT_OK);
  EXPECT_EQ(o.outputs[0].as<float>(), defined(one));
}

// Short rows are computed many lines at once: a context that was made for rows of 33 had no room for those of 31, and refused them.
TEST(WideConv, ShorterRowsFitTheRoomOfLongerOnes) {
  const auto of_width = [](int32_t width) { return wide_case({{30, 3, 1, 1, 1, 1}, {width, 3, 1, 1, 1, 1}}, 1, 4, 16, kConvRelu); };
  for (int32_t widest : {7, 33, 64, 70}) {
    const size_t room = scratch_bytes(of_width(widest).op);
    for (int32_t width = 1; width <= widest; width += width < 4 ? 1 : 7) {
      SCOPED_TRACE(testing::Message() << width << " of " << widest);
      WideCase c = of_width(width);
      c.op.room = room;
      expect_defined(c);
    }
  }
}

}  // namespace
}  // namespace ert::test
