// Conv with shared columns: neighbouring outputs are quantized with the range of the rectangle around their patches.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rt/ops/conv_case.h"

namespace ert::test {
namespace {

namespace lin = params::linear;
namespace cnv = params::conv;

// Per output the least and greatest element of the rectangle that its patch shares a range with, over zero.
std::vector<float> shared_ranges(const ConvCase& c, const std::vector<float>& x) {
  const ConvAxis &rows = c.axes[0], &columns = c.axes[1];
  std::vector<float> ranges;
  for (int32_t b = 0; b < c.batch; ++b)
    for (int32_t i = 0; i < rows.out(); ++i)
      for (int32_t j = 0; j < columns.out(); ++j) {
        const int32_t first = j / c.shared * c.shared, last = std::min(first + c.shared, columns.out()) - 1;
        float low = 0, high = 0;
        for (int32_t k = 0; k < rows.kernel; ++k)
          for (int32_t column = first * columns.stride - columns.begin;
               column <= last * columns.stride - columns.begin + columns.dilation * (columns.kernel - 1); ++column)
            for (int32_t ch = c.first; ch < c.first + c.count; ++ch) {
              const int32_t row = i * rows.stride - rows.begin + k * rows.dilation;
              if (row < 0 || row >= rows.size || column < 0 || column >= columns.size) continue;
              const float v = x[static_cast<size_t>(((b * rows.size + row) * columns.size + column) * c.channels + ch)];
              low = std::min(low, v);
              high = std::max(high, v);
            }
        ranges.insert(ranges.end(), {low, high});
      }
  return ranges;
}

// The range of a row of a Linear is what two more of its elements make it, which weigh nothing.
void expect_shares_ranges(const ConvCase& c) {
  OpCase conv = conv_case(c);
  ASSERT_EQ(run(conv), ERT_OK);
  std::vector<float> x = conv.inputs[lin::kX].as<float>();
  if (c.extras) {
    const std::vector<float> factors = conv.inputs[lin::kInvSmooth].as<float>();
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t channel = i % static_cast<size_t>(c.channels), first = static_cast<size_t>(c.first);
      if (channel >= first && channel - first < factors.size()) x[i] *= factors[channel - first];
    }
  }
  const std::vector<float> patches = patches_of(c, x), ranges = shared_ranges(c, x);
  const size_t k = static_cast<size_t>(c.depth()), n = static_cast<size_t>(c.filters), outputs = ranges.size() / 2;
  const kernels::Layout layout = params::kernel_layout(c.layout);
  std::vector<float> rows;
  for (size_t i = 0; i < outputs; ++i) {
    rows.insert(rows.end(), patches.begin() + static_cast<ptrdiff_t>(i * k),
                patches.begin() + static_cast<ptrdiff_t>((i + 1) * k));
    rows.insert(rows.end(), {ranges[2 * i], ranges[2 * i + 1]});
  }
  OpCase linear = conv;
  linear.def = &kOpLinear;
  linear.inputs[lin::kX] = f32(c.map(true, c.depth() + 2), rows);
  Tensor& w = linear.inputs[lin::kWeights];
  const std::vector<uint8_t> narrow = w.bytes;
  w.dims = {c.filters, c.depth() + 2};
  w.bytes.assign(kernels::packed_bytes(layout, n, k + 2), 0);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < k; ++i)
      w.bytes[kernels::packed_offset(layout, j, i, k + 2)] = narrow[kernels::packed_offset(layout, j, i, k)];
  linear.ints = {c.precision, c.activation};
  linear.inputs[lin::kInvSmooth] = absent();
  ASSERT_EQ(run(linear), ERT_OK);
  EXPECT_EQ(conv.outputs[0].as<float>(), linear.outputs[0].as<float>());
}

ConvCase sharing(int32_t shared, std::vector<ConvAxis> axes, int32_t channels, int32_t filters) {
  ConvCase c{std::move(axes), 1, channels, 0, channels, filters, lin::kInt8, kConvRelu, false};
  c.shared = shared;
  return c;
}

TEST(SharedColumns, HaveTheRangeOfTheirRectangle) {
  for (int32_t kernel = 1; kernel <= 11; ++kernel)
    for (int32_t stride = 1; stride <= 4; ++stride)
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t reach = dilation * (kernel - 1);
        const ConvAxis tall{5, 3, stride, 1, 1, 1}, wide{23, kernel, stride, dilation, reach / 2, reach};
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << " stride " << stride << " dilation " << dilation);
        expect_shares_ranges(sharing(1 + kernel, {tall, wide}, 4, 5));
        expect_shares_ranges(sharing(16, {wide, tall}, 4, 5));
      }
}

TEST(SharedColumns, OfEveryShape) {
  for (int32_t shared : {1, 3, 16, 40, 256})
    for (int32_t channels : {4, 12, 64})
      for (int32_t filters : {1, 16, 40, 200}) {
        expect_shares_ranges(sharing(shared, {{9, 3, 1, 1, 1, 1}, {37, 3, 1, 1, 1, 1}}, channels, filters));
        expect_shares_ranges(sharing(shared, {{4, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 0, 1}}, channels, filters));
      }
  for (const uint8_t layout : {params::kPackedN16K4, params::kPackedN8K8, params::kPackedN2K16}) {
    ConvCase c = sharing(16, {{6, 3, 1, 1, 1, 1}, {33, 3, 2, 1, 1, 1}}, 20, 19);
    c.batch = 2;
    c.first = 8;
    c.count = 12;
    c.extras = true;
    c.layout = layout;
    expect_shares_ranges(c);
  }
}

TEST(SharedColumns, AreRefusedWhereTheyHaveNoMeaning) {
  const OpCase good = conv_case(sharing(16, {{8, 3, 1, 1, 1, 1}, {40, 3}}, 4, 16));
  ASSERT_TRUE(prepares(good));
  const auto refuses = [&](const std::function<void(OpCase&)>& spoil) {
    OpCase c = good;
    spoil(c);
    return !prepares(c);
  };
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kSharedColumns] = cnv::kMostSharedColumns + 1; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[cnv::kPrecision] = lin::kInt8A16; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kInvSmooth] = f32({36}, noise(36, 3)); }));
  EXPECT_FALSE(prepares(conv_case(sharing(16, {{8, 3, 1, 1, 1, 1}, {40, 3}}, 6, 16)))) << "channels do not come in fours";
  EXPECT_FALSE(prepares(conv_case(sharing(16, {{40, 3}}, 4, 16)))) << "one axis";
  EXPECT_FALSE(prepares(conv_case(sharing(256, {{8, 3}, {400, 3}}, 88, 1)))) << "a row of more than 65,000";
}

}  // namespace
}  // namespace ert::test
