// W12A13 of every level against the reference, bit for bit, and the reference against plain arithmetic: quantized values, all tails, pieces of long runs,
// extreme sums, convolutions by lines, taps and rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class WideTest : public LevelTest {};

enum class Values { kRandom, kLargest, kNearLargest, kLeast, kAnyInt16 };

// N16K2 of `depth` values a column, scales and biases. Weights behind runs of odd length are not zero: they must not count.
struct WideWeights {
  GuardedBuffer<int8_t> data;
  std::vector<float> scale, bias;

  WideWeights(size_t n, size_t depth, size_t run, Values values, SeededRandom& random)
      : data(packed_bytes(Layout::kN16K2, n, depth)) {
    std::memset(data.data(), 0, data.size());
    const size_t padded = 2 * wide_pairs(run);
    for (size_t column = 0; column < n; ++column) {
      for (size_t k = 0; k < depth; ++k) {
        const int16_t w = k % padded >= run           ? int16_t{12345}
                          : values == Values::kLargest ? int16_t{-2047}
                          : values == Values::kNearLargest ? static_cast<int16_t>(random.integer(-2047, -2000))
                          : values == Values::kLeast  ? int16_t{-2048}
                          : values == Values::kRandom ? static_cast<int16_t>(random.integer(-2047, 2047))
                                                      : static_cast<int16_t>(random.bits());
        std::memcpy(data.data() + packed_offset(Layout::kN16K2, column, k, depth), &w, sizeof w);
      }
      scale.push_back(random.uniform(1e-4f, 1e-2f));
      bias.push_back(random.normal());
    }
  }
  PackedWeights packed(bool with_bias) {
    return {data.data(), scale.data(), nullptr, with_bias ? bias.data() : nullptr, Layout::kN16K2};
  }
};

struct WideShape {
  size_t lines, outputs, filters, rows, taps, run;
  ptrdiff_t step, tap;      // in values
  ptrdiff_t scale_step = 0;
};

void compare(const ConvKernels& reference, const ConvKernels& level, const WideShape& s, Values values, SeededRandom& random) {
  WideWeights w(s.filters, s.rows * s.taps * 2 * wide_pairs(s.run), s.run, values, random);
  const ptrdiff_t line = static_cast<ptrdiff_t>(s.outputs) * s.step + 3, row = line + 5;
  const size_t used = (s.lines - 1) * static_cast<size_t>(line) + (s.outputs - 1) * static_cast<size_t>(s.step) +
                      (s.rows - 1) * static_cast<size_t>(row) + (s.taps - 1) * static_cast<size_t>(s.tap) + s.run;
  GuardedBuffer<int16_t> src(used + kWideSlack / sizeof(int16_t));
  for (size_t i = 0; i < src.size(); ++i)
    src[i] = values == Values::kLargest ? int16_t{4095}
             : values == Values::kLeast && i < used ? int16_t{-4095}
             : values == Values::kNearLargest && i < used ? static_cast<int16_t>(random.integer(4000, 4095))
             : i >= used                ? int16_t{-32768}
                                        : static_cast<int16_t>(random.integer(-4095, 4095));
  std::vector<float> scales((s.lines - 1) * 2 + (s.outputs - 1) * static_cast<size_t>(s.scale_step) + (s.rows - 1) * 3 + 1);
  for (float& x : scales) x = random.uniform(1e-3f, 1.0f);
  const size_t stride = s.filters + s.outputs % 2;
  GuardedBuffer<float> want(s.lines * s.outputs * stride), got(want.size());
  for (size_t i = 0; i < want.size(); ++i) want[i] = got[i] = 77.0f;
  WideArgs a = {s.lines,
                s.outputs,
                s.filters,
                s.rows,
                s.taps,
                s.run,
                src.data(),
                line,
                s.step,
                row,
                s.tap,
                scales.data(),
                2,
                s.scale_step,
                3,
                w.packed(s.filters % 2 != 0),
                want.data(),
                static_cast<ptrdiff_t>(s.outputs * stride),
                static_cast<ptrdiff_t>(stride),
                static_cast<Clamp>((s.outputs + s.run) % 3)};
  reference.wide(a);
  a.dst = got.data();
  level.wide(a);
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
      << s.lines << " lines " << s.outputs << " outputs " << s.filters << " filters " << s.rows << " rows " << s.taps
      << " taps of " << s.run << " step " << s.step;
}

TEST_P(WideTest, EveryTail) {
  SeededRandom random;
  for (size_t outputs = 1; outputs <= 19; ++outputs)
    for (size_t filters : {1, 7, 15, 16, 17, 31, 32, 33, 48, 70})
      compare(conv_ref(), conv(), {1 + outputs % 3, outputs, filters, 1 + filters % 3, 1 + outputs % 2, 1 + (outputs * filters) % 40, 9, 4},
              Values::kRandom, random);
  for (size_t run = 1; run <= 70; ++run)
    compare(conv_ref(), conv(), {1, 1 + run % 7, 1 + run % 37, 1 + run % 3, 1, run, static_cast<ptrdiff_t>(run), 0, 1}, Values::kRandom, random);
}

TEST_P(WideTest, PiecesOfLongRuns) {
  SeededRandom random;
  for (size_t run : {255, 256, 257, 511, 512, 513, 1000, 4097})
    for (size_t outputs : {1, 3, 4, 5, 9})
      compare(conv_ref(), conv(), {1, outputs, 19, 2, 1, run, 7, 0, 1}, Values::kRandom, random);
}

// One row of a Linear has a kernel of its own, and few outputs have sums of several lines at once.
TEST_P(WideTest, FewRows) {
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 4})
    for (size_t run = 1; run <= 70; ++run)
      compare(conv_ref(), conv(), {1, outputs, 1 + run % 35, 1, 1, run, 71, 0, 1}, Values::kRandom, random);
  for (const Values values : {Values::kLargest, Values::kAnyInt16})
    for (size_t run : {255, 256, 257, 700})
      for (size_t outputs : {1, 2, 3}) compare(conv_ref(), conv(), {1, outputs, 48 + outputs % 2, 1, 1, run, 701, 0, 1}, values, random);
}

// Kernels that turn weights first hold 64 outputs together.
TEST_P(WideTest, OutputsOfManyLines) {
  SeededRandom random;
  for (size_t outputs : {63, 64, 65, 130})
    for (size_t run : {24, 96, 300})
      for (size_t filters : {16, 21, 40})
        compare(conv_ref(), conv(), {1 + outputs % 2 * 2, outputs, filters, 1 + filters % 3, 1, run, static_cast<ptrdiff_t>(run), 0, 1}, Values::kRandom, random);
}

TEST_P(WideTest, LargestSumsAndThoseThatWrap) {
  SeededRandom random;
  for (const Values values : {Values::kLargest, Values::kAnyInt16})
    for (size_t run : {256, 257, 700}) compare(conv_ref(), conv(), {2, 9, 33, 3, 1, run, 11, 0}, values, random);
}

// Levels may put sums together in fp32 as long as all that they are made of fits one: to the last run that does, and the first that does not.
TEST_P(WideTest, LargestSumsOfShortRuns) {
  SeededRandom random;
  for (const Values values : {Values::kLargest, Values::kNearLargest, Values::kLeast})
    for (size_t run : {1, 4, 63, 64, 65, 116, 120, 121, 122, 123, 129, 131, 151, 177, 180}) compare(conv_ref(), conv(), {2, 9, 33, 3, 1, run, 11, 0}, values, random);
}

// Against sums in double, which hold such products exactly.
TEST_P(WideTest, IsTheProductOfRoundedRows) {
  SeededRandom random;
  const size_t m = 6, n = 20;
  for (size_t k : {1, 5, 64, 300}) {
    GuardedBuffer<float> src(m * k), got(m * n);
    fill_row(src, Fill::kNormal, random);
    WideWeights w(n, 2 * wide_pairs(k), k, Values::kRandom, random);
    const LinearKernels linear = linear_kernels(kernels(), Precision::kW12A13, Layout::kN16K2);
    GuardedBuffer<int16_t> rows(m * linear.row_bytes(k) / sizeof(int16_t));
    std::vector<RowScale> scales(m);
    linear.quantize_rows(m, k, src.data(), static_cast<ptrdiff_t>(k), nullptr, rows.data(), linear.row_bytes(k), scales.data());
    GemmArgs g = {m, n, k, rows.data(), linear.row_bytes(k), scales.data(), w.packed(true), got.data(), static_cast<ptrdiff_t>(n)};
    linear.gemm(g);
    for (const Clamp clamp : {Clamp::kRelu, Clamp::kRelu6}) {
      GuardedBuffer<float> clamped(m * n);
      g.clamp = clamp;
      g.dst = clamped.data();
      linear.gemm(g);
      const float most = clamp == Clamp::kRelu6 ? 6.0f : std::numeric_limits<float>::max();
      for (size_t i = 0; i < m * n; ++i) ASSERT_EQ(clamped[i], std::min(most, std::max(0.0f, got[i]))) << i;
    }
    for (size_t i = 0; i < m; ++i) {
      EXPECT_EQ(scales[i].zero_point, 0);
      for (size_t j = 0; j < n; ++j) {
        double sum = 0, size = 0;
        for (size_t kk = 0; kk < k; ++kk) {
          const int16_t q = rows[i * linear.row_bytes(k) / sizeof(int16_t) + kk];
          ASSERT_NEAR(q, src[i * k + kk] / scales[i].scale, 0.51);
          int16_t weight;
          std::memcpy(&weight, w.data.data() + packed_offset(Layout::kN16K2, j, kk, k), sizeof weight);
          sum += double{static_cast<double>(q)} * weight;
          size += std::abs(static_cast<double>(q) * weight);
        }
        const double factor = static_cast<double>(scales[i].scale) * static_cast<double>(w.scale[j]);
        EXPECT_NEAR(got[i * n + j], sum * factor + static_cast<double>(w.bias[j]), 1e-6 * (size * factor + 1));
      }
    }
  }
}

// Values and scales of quantized rows, which are the same bytes on every level.
TEST_P(WideTest, QuantizedRows) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill)
    for (size_t k : {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 200, 600})
      for (const bool smooth : {false, true}) {
        const size_t m = 1 + 7 * k % 37;  // some quantizers take 8 or 16 rows at once
        GuardedBuffer<float> src(m * k), factors(k);
        fill_row(src, static_cast<Fill>(fill), random);
        for (size_t i = 0; i < k; ++i) factors[i] = random.uniform(0.125f, 1.0f);
        const auto rows = [&](const KernelTable& table, std::vector<RowScale>* scales) {
          const size_t row_bytes = table.row_bytes[Precision::kW12A13](k);
          EXPECT_LE(row_bytes, max_quantized_row_bytes(Precision::kW12A13, k));
          GuardedBuffer<int16_t> dst(m * row_bytes / sizeof(int16_t));
          scales->resize(m);
          table.quantize_rows[Precision::kW12A13](m, k, src.data(), static_cast<ptrdiff_t>(k), smooth ? factors.data() : nullptr,
                                                  dst.data(), row_bytes, scales->data());
          std::vector<int16_t> values;
          for (size_t i = 0; i < m; ++i)
            values.insert(values.end(), dst.data() + i * row_bytes / 2, dst.data() + i * row_bytes / 2 + k);
          return values;
        };
        std::vector<RowScale> want_scales, got_scales;
        EXPECT_EQ(rows(ref(), &want_scales), rows(kernels(), &got_scales)) << fill << " k " << k;
        for (size_t i = 0; i < m; ++i) ASSERT_TRUE(all_same_bits(1, &want_scales[i].scale, &got_scales[i].scale));
      }
}

TEST_P(WideTest, ARowThatOverflowsIsNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const size_t m = 3, k = 40, n = 18;
  SeededRandom random;
  WideWeights w(n, k, k, Values::kRandom, random);
  for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN()}) {
    GuardedBuffer<float> src(m * k), got(m * n);
    fill_row(src, Fill::kNormal, random);
    src[k + 7] = bad;
    const LinearKernels linear = linear_kernels(kernels(), Precision::kW12A13, Layout::kN16K2);
    GuardedBuffer<uint8_t> rows(m * linear.row_bytes(k));
    std::vector<RowScale> scales(m);
    linear.quantize_rows(m, k, src.data(), static_cast<ptrdiff_t>(k), nullptr, rows.data(), linear.row_bytes(k), scales.data());
    linear.gemm({m, n, k, rows.data(), linear.row_bytes(k), scales.data(), w.packed(true), got.data(), static_cast<ptrdiff_t>(n)});
    for (size_t i = 0; i < m * n; ++i) EXPECT_EQ(std::isnan(got[i]), i / n == 1) << i;
  }
}

TEST_P(WideTest, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const size_t rows = i % 3 == 0 ? static_cast<size_t>(random.integer(1, 6)) : 1, taps = i % 4 == 0 ? static_cast<size_t>(random.integer(1, 6)) : 1;
    const size_t run = drawn_size(65000 / (rows * taps), random), filters = drawn_within(1 << 18, rows * taps * run, 1000, random);
    const size_t outputs = drawn_within(1 << 18, rows * taps * run * filters, 300, random);
    compare(conv_ref(), conv(), {1 + outputs % 2, outputs, filters, rows, taps, run, static_cast<ptrdiff_t>(drawn_size(run, random)), static_cast<ptrdiff_t>(run), 1}, Values::kRandom, random);
  }
}

// A row in the buffer of a convolution begins anywhere, and may be longer than those of a Linear; behind the last one is kWideSlack.
TEST_P(WideTest, QuantizedRowsOfDrawnSizesAnywhere) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const size_t k = drawn_size(i % 8 == 0 ? 100000 : 2000, random), before = drawn_size(40, random);
    GuardedBuffer<float> src(k);
    for (size_t j = 0; j < k; ++j) src[j] = random.uniform(-1.0f, 1.0f);
    GuardedBuffer<int16_t> want(before + k + kWideSlack / sizeof(int16_t)), got(want.size());
    RowScale scale;
    const ptrdiff_t stride = static_cast<ptrdiff_t>(k);
    ref().quantize_rows[Precision::kW12A13](1, k, src.data(), stride, nullptr, want.data() + before, round_up(2 * k, 64), &scale);
    kernels().quantize_rows[Precision::kW12A13](1, k, src.data(), stride, nullptr, got.data() + before, round_up(2 * k, 64), &scale);
    ASSERT_EQ(std::memcmp(want.data(), got.data(), (before + k) * sizeof(int16_t)), 0) << k;
  }
}

ERT_INSTANTIATE_LEVELS(WideTest);

}  // namespace
}  // namespace ert::kernels::testing
