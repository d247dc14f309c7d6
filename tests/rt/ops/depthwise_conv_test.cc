// DepthwiseConv against a plain loop in the order that NUMERICS.md says, over kernels, strides, dilations and padding; and what prepare refuses.
#include <gtest/gtest.h>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

constexpr int32_t kNone = params::depthwise_conv::kNoActivation;

struct KernelAxis {
  int32_t kernel, stride, dilation, begin, end;
  int32_t out(int32_t in) const { return (in + begin + end - dilation * (kernel - 1) - 1) / stride + 1; }
};

OpCase conv(const Tensor& x, const KernelAxis& rows, const KernelAxis& columns, bool with_bias, int32_t activation) {
  const int32_t channels = x.dims[3];
  OpCase c{&kOpDepthwiseConv,
           {x, noisy({rows.kernel * columns.kernel, channels}, 2), with_bias ? noisy({channels}, 3) : absent()},
           {empty(ERT_F32, {x.dims[0], rows.out(x.dims[1]), columns.out(x.dims[2]), channels})},
           {activation, rows.kernel, rows.stride, rows.dilation, rows.begin, rows.end, columns.kernel, columns.stride,
            columns.dilation, columns.begin, columns.end},
           {},
           {}};
  return c;
}

std::vector<float> plain(const OpCase& c, const KernelAxis& rows, const KernelAxis& columns) {
  const Dims& in = c.inputs[0].dims;
  const std::vector<float> x = c.inputs[0].as<float>(), w = c.inputs[1].as<float>(), bias = c.inputs[2].as<float>();
  std::vector<float> y;
  for_each_index(c.outputs[0].dims, [&](const Dims& at) {
    float acc = bias.empty() ? 0.0f : bias[static_cast<size_t>(at[3])];
    for (int32_t i = 0; i < rows.kernel; ++i) {
      for (int32_t j = 0; j < columns.kernel; ++j) {
        const int32_t h = at[1] * rows.stride + i * rows.dilation - rows.begin,
                      v = at[2] * columns.stride + j * columns.dilation - columns.begin;
        if (h < 0 || h >= in[1] || v < 0 || v >= in[2]) continue;
        const float product = x[static_cast<size_t>(((at[0] * in[1] + h) * in[2] + v) * in[3] + at[3])] *
                              w[static_cast<size_t>((i * columns.kernel + j) * in[3] + at[3])];
        acc = acc + product;
      }
    }
    y.push_back(acc);
  });
  return y;
}

void check(const Dims& in, const KernelAxis& rows, const KernelAxis& columns, bool with_bias) {
  const OpCase c = conv(noisy(in, 1), rows, columns, with_bias, kNone);
  EXPECT_EQ(run_for<float>(c), plain(c, rows, columns))
      << "kernel " << rows.kernel << "x" << columns.kernel << " stride " << rows.stride << " dilation " << columns.dilation
      << " padding " << columns.begin << "+" << columns.end;
}

TEST(DepthwiseConv, KernelsStridesDilationsAndPadding) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        check({2, 9, 45, 5}, {kernel > 3 ? 3 : kernel, stride, 1, 1, 1}, {kernel, stride, dilation, reach / 2, reach - reach / 2},
              kernel % 2 == 0);
        check({1, 45, 47, 3}, {kernel, 1, dilation, 0, reach}, {kernel, stride, dilation, 0, 0}, true);
      }
}

// Narrow maps and every edge of three columns, which one call does where a level has a kernel for whole rows.
TEST(DepthwiseConv, RowsOfThreeColumns) {
  for (int32_t width = 1; width <= 9; ++width)
    for (int32_t begin = -1; begin <= 3; ++begin)
      for (int32_t end = -1; end <= 3; ++end)
        for (int32_t stride = 1; stride <= 2; ++stride)
          for (int32_t dilation = 1; dilation <= 2; ++dilation) {
            const KernelAxis columns{3, stride, dilation, begin, end};
            if (width + begin + end < 2 * dilation + 1) continue;
            check({1, 4, width, 1 + (width * 7) % 20}, {1 + width % 3, 1, 1, width % 3, width % 3}, columns, begin % 2 == 0);
          }
}

TEST(DepthwiseConv, PaddingBeyondTheKernel) {
  check({1, 3, 2, 17}, {3, 1, 1, 5, 2}, {2, 3, 1, 4, 1}, true);
  check({1, 1, 1, 4}, {3, 2, 1, 1, 1}, {5, 1, 1, 2, 2}, false);
}

TEST(DepthwiseConv, OneAxis) {
  const KernelAxis columns{5, 2, 1, 2, 2};
  OpCase wide = conv(noisy({3, 1, 40, 24}, 1), {1, 1, 1, 0, 0}, columns, true, kNone);
  const std::vector<float> want = run_for<float>(wide);
  wide.inputs[0].dims = {3, 40, 24};
  wide.outputs[0] = empty(ERT_F32, {3, 20, 24});
  wide.ints = {kNone, 5, 2, 1, 2, 2};
  EXPECT_EQ(run_for<float>(wide), want);
}

// Dilations of a kernel of one position, and strides behind the only output: pointers of 32 bits wrapped (UndefinedBehaviorSanitizer on i686).
TEST(DepthwiseConv, StepsThatAreNeverTakenMayBeAnyNumber) {
  constexpr int32_t kMost = INT32_MAX, kFar = (1 << 30) - 1;
  const KernelAxis wide{1, kMost, kMost, 0, 0};
  check({1, 1, 1, 5}, wide, wide, true);
  check({2, 7, 9, 33}, {1, kMost, kMost, -5, -1}, {1, kMost, kMost, -7, 0}, false);
  check({1, 7, 9, 5}, {3, 1, 2, 0, 0}, {2, kMost, kFar, kFar, 0}, true);  // of the kernel's columns only the second lies inside
  check({1, 7, 9, 5}, {2, kMost, kFar, 0, kFar}, {3, 1, 2, 0, 0}, true);
}

TEST(DepthwiseConv, ActivationFollowsTheBias) {
  const KernelAxis three{3, 1, 1, 1, 1};
  OpCase c = conv(noisy({1, 8, 8, 16}, 1), three, three, true, kNone);
  std::vector<float> want = run_for<float>(c);
  for (float& v : want) v = v > 0 ? v : 0.0f;
  c.ints[0] = static_cast<int32_t>(kernels::Unary::kRelu);
  EXPECT_EQ(run_for<float>(c), want);
  for (float& v : want) v = v < 6 ? v : 6.0f;
  c.ints[0] = static_cast<int32_t>(kernels::Unary::kRelu6);
  EXPECT_EQ(run_for<float>(c), want);
  EXPECT_EQ(macs(c), 8u * 8 * 16 * 9);
}

TEST(DepthwiseConv, Refusals) {
  const KernelAxis three{3, 1, 1, 1, 1};
  const OpCase good = conv(noisy({1, 8, 8, 16}, 1), three, three, true, kNone);
  ASSERT_TRUE(prepares(good));
  const auto refused = [&](auto change) {
    OpCase c = good;
    change(c);
    return !prepares(c);
  };
  EXPECT_TRUE(refused([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 9, 8, 16}); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 8, 7, 16}); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.inputs[0] = noisy({1, 8, 8, 15}, 1); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {2, 8, 8, 16}); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 8, 8, 15}); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.inputs[1] = noisy({8, 16}, 1); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.inputs[2] = noisy({15}, 1); }));
  for (size_t i : {size_t{1}, size_t{2}, size_t{3}, size_t{6}, size_t{7}, size_t{8}})
    EXPECT_TRUE(refused([&](OpCase& c) { c.ints[i] = 0; })) << i;
  EXPECT_TRUE(refused([](OpCase& c) { c.ints[0] = static_cast<int32_t>(kernels::Unary::kCount); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.ints.pop_back(); }));
  EXPECT_TRUE(refused([](OpCase& c) { c.ints.resize(6); })) << "ints of one axis for an image";
}

// Numbers as large as the format has them: no sum of theirs may wrap.
TEST(DepthwiseConv, LargestWindow) {
  constexpr int32_t kPad = (1 << 30) - 1;
  const OpCase c{&kOpDepthwiseConv,
                 {noisy({1, 3, 2}, 1), noisy({65000, 2}, 2)},
                 {empty(ERT_F32, {1, 1, 2})},
                 {kNone, 65000, INT32_MAX, 33038, kPad, kPad},
                 {},
                 {}};
  ASSERT_TRUE(prepares(c));
  EXPECT_EQ(run_for<float>(c).size(), 2u);
}

}  // namespace
}  // namespace ert::test
