// int8 convolution in place of every level that has it: rectangles of maps as rows of W8A8, and products of such rows where they lie, against the
// level's own rows and GEMM of patches that are copied, bit for bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/kernels_int8/packed_linear.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class WindowTest : public LevelTest {};

struct Rectangle {
  size_t rows, columns, channels, all_channels, first_row, last_row, first_column, last_column;
};

// As a row: gathered with its zeros, times its factors.
std::vector<float> as_row(const Rectangle& r, const float* src, size_t map_columns, const float* factors) {
  std::vector<float> row(r.rows * r.columns * r.channels);
  for (size_t i = 0; i < row.size(); ++i) row[i] = factors != nullptr ? 0.0f * factors[i % r.channels] : 0.0f;
  for (size_t i = r.first_row; i < r.last_row; ++i)
    for (size_t j = r.first_column; j < r.last_column; ++j)
      for (size_t c = 0; c < r.channels; ++c) {
        const float x = src[((i - r.first_row) * map_columns + j - r.first_column) * r.all_channels + c];
        row[(i * r.columns + j) * r.channels + c] = factors != nullptr ? x * factors[c] : x;
      }
  return row;
}

void compare_rectangle(const KernelTable& table, const ConvKernels& conv, const Rectangle& r, Fill fill, bool smooth,
                       SeededRandom& random) {
  // The last value that is read ends at the guard page.
  const size_t inside_rows = r.last_row - r.first_row, inside_columns = r.last_column - r.first_column;
  const size_t pixels = inside_rows == 0 || inside_columns == 0 ? 0 : inside_rows * inside_columns;
  GuardedBuffer<float> src(pixels == 0 ? 1 : (pixels - 1) * r.all_channels + r.channels), factors(r.channels);
  fill_row(src, fill, random);
  for (size_t i = 0; i < r.channels; ++i) factors[i] = random.uniform(0.1f, 3.0f);
  const float* inv_smooth = smooth ? factors.data() : nullptr;
  const std::vector<float> row = as_row(r, src.data(), inside_columns, inv_smooth);
  std::vector<uint8_t> padded(table.row_bytes[Precision::kW8A8](row.size()) + 64);
  uint8_t* want = padded.data() + (64 - reinterpret_cast<uintptr_t>(padded.data()) % 64) % 64;
  RowScale of_want, of_got;
  table.quantize_rows[Precision::kW8A8](1, row.size(), row.data(), static_cast<ptrdiff_t>(row.size()), nullptr, want,
                                        table.row_bytes[Precision::kW8A8](row.size()), &of_want);
  GuardedBuffer<uint8_t> got(row.size());
  conv.rectangle({r.rows, r.columns, r.channels, r.first_row, r.last_row, r.first_column, r.last_column, src.data(),
                  static_cast<ptrdiff_t>(inside_columns * r.all_channels), static_cast<ptrdiff_t>(r.all_channels), inv_smooth,
                  got.data(), &of_got});
  ASSERT_EQ(std::memcmp(&of_want, &of_got, sizeof(of_got)), 0) << fill_name(fill);
  ASSERT_TRUE(std::equal(got.data(), got.data() + row.size(), want))
      << r.rows << " x " << r.columns << " pixels of " << r.channels << " channels of " << r.all_channels << " "
      << fill_name(fill);
}

TEST_P(WindowTest, RectanglesAreRows) {
  if (conv().rectangle == nullptr) return;  // this level copies patches
  SeededRandom random;
  for (size_t channels : {4, 8, 12, 16, 20, 24, 32, 48, 64, 80, 128, 192})
    for (size_t columns : {1, 2, 5, 18})
      for (size_t more : {0, 4}) {
        const size_t all = channels + more;
        compare_rectangle(kernels(), conv(), {3, columns, channels, all, 0, 3, 0, columns}, Fill::kNormal, columns % 2 != 0,
                          random);
        compare_rectangle(kernels(), conv(), {3, columns + 3, channels, all, 1, 2, 2, columns + 2}, Fill::kNormal, more == 0,
                          random);
      }
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    compare_rectangle(kernels(), conv(), {3, 9, 16, 16, 0, 2, 1, 9}, static_cast<Fill>(fill), fill % 2 == 0, random);
    compare_rectangle(kernels(), conv(), {5, 7, 12, 20, 0, 5, 0, 7}, static_cast<Fill>(fill), fill % 2 != 0, random);
  }
}

TEST_P(WindowTest, RectanglesOutsideTheMapAreZeros) {
  if (conv().rectangle == nullptr) return;
  SeededRandom random;
  compare_rectangle(kernels(), conv(), {3, 5, 8, 8, 0, 0, 0, 0}, Fill::kNormal, true, random);
  compare_rectangle(kernels(), conv(), {3, 5, 20, 24, 2, 2, 1, 4}, Fill::kNormal, false, random);
}

// Also where a factor is no number: its channel's zeros are none either.
TEST_P(WindowTest, ZerosOfThePaddingHaveFactors) {
  if (conv().rectangle == nullptr) return;
  const std::vector<float> map(4, 1.0f), factors = {1.0f, 2.0f, std::numeric_limits<float>::infinity(), 1.0f};
  std::vector<uint8_t> row(8);
  RowScale scale;
  conv().rectangle({1, 2, 4, 0, 1, 0, 1, map.data(), 4, 4, factors.data(), row.data(), &scale});
  EXPECT_TRUE(std::isnan(scale.scale));
}

struct Shape {
  size_t outputs, filters, rows, taps, channels, step, dilation;
};

void compare_window(const KernelTable& table, const ConvKernels& conv, const Shape& s, WeightFill fill, Clamp clamp,
                    int32_t zero_point, SeededRandom& random) {
  const size_t columns = (s.outputs - 1) * s.step + (s.taps - 1) * s.dilation + 1, k = s.rows * s.taps * s.channels;
  GuardedBuffer<uint8_t> src(s.rows * columns * s.channels);
  for (size_t i = 0; i < src.size(); ++i)
    src[i] = fill == WeightFill::kAll127 ? uint8_t{255} : static_cast<uint8_t>(random.bits());
  const PackedLinear linear(s.filters, k, fill, random);
  const size_t row_bytes = table.row_bytes[Precision::kW8A8](k);
  std::vector<uint8_t> padded(s.outputs * row_bytes + 64);
  uint8_t* patches = padded.data() + (64 - reinterpret_cast<uintptr_t>(padded.data()) % 64) % 64;
  for (size_t p = 0; p < s.outputs; ++p) {
    uint8_t* to = patches + p * row_bytes;
    for (size_t i = 0; i < s.rows; ++i)
      for (size_t j = 0; j < s.taps; ++j, to += s.channels)
        std::memcpy(to, src.data() + (i * columns + p * s.step + j * s.dilation) * s.channels, s.channels);
  }
  const std::vector<RowScale> scales(s.outputs, {0.0125f, zero_point});
  GuardedBuffer<float> want(s.outputs * s.filters), got(want.size());
  linear_kernels(table, Precision::kW8A8, Layout::kN16K4)
      .gemm({s.outputs, s.filters, k, patches, row_bytes, scales.data(), linear.weights(clamp != Clamp::kRelu), want.data(),
             static_cast<ptrdiff_t>(s.filters)});
  if (clamp != Clamp::kNone)
    table.unary[static_cast<size_t>(clamp == Clamp::kRelu ? Unary::kRelu : Unary::kRelu6)](want.size(), want.data(), want.data());
  conv.window({s.outputs, s.filters, s.rows, s.taps, s.channels, src.data(), columns * s.channels, s.dilation * s.channels,
               s.step * s.channels, scales[0], linear.weights(clamp != Clamp::kRelu), got.data(),
               static_cast<ptrdiff_t>(s.filters), clamp});
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
      << s.outputs << " outputs " << s.filters << " filters " << s.rows << "x" << s.taps << "x" << s.channels << " step "
      << s.step << " dilation " << s.dilation;
}

TEST_P(WindowTest, ProductsAreThoseOfPatches) {
  if (conv().window == nullptr) return;
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 7, 8, 9, 16, 21})
    for (size_t filters : {1, 7, 15, 16, 17, 31, 32, 33, 48, 64, 100})
      compare_window(
          kernels(), conv(),
          {outputs, filters, 1 + outputs % 4, 1 + filters % 5, 4 * (1 + outputs % 5), 1 + filters % 3, 1 + outputs % 2},
          WeightFill::kRandom, static_cast<Clamp>(filters % 3), static_cast<int32_t>(outputs * 11), random);
}

TEST_P(WindowTest, LargestSums) {
  if (conv().window == nullptr) return;
  SeededRandom random;
  compare_window(kernels(), conv(), {9, 33, 5, 13, 1000, 1, 1}, WeightFill::kAll127, Clamp::kNone, 0, random);
  compare_window(kernels(), conv(), {9, 33, 5, 13, 1000, 1, 2}, WeightFill::kAllMinus127, Clamp::kNone, 255, random);
}

ERT_INSTANTIATE_LEVELS(WindowTest);

}  // namespace
}  // namespace ert::kernels::testing
