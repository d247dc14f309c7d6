// Convolutions over 8-bit maps of every level against the reference, bit for bit: all tails, extreme sums, and bytes behind the rows that must not count.
#include <limits>
#include <memory>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class MapConvTest : public LevelTest {};

struct MapShape {
  size_t outputs, columns, rows, depth;  // columns: filters, or channels
  size_t step, tap = 1;                  // in bytes; tap of depthwise only
};

struct MapWeights {
  std::vector<int8_t> bytes;
  std::vector<int32_t> sums;
  std::vector<float> scale, bias;

  MapWeights(const MapShape& s, Layout layout, WeightFill fill, SeededRandom& random)
      : bytes(64 + packed_bytes(layout, s.rows * map_columns(s.columns), s.depth)), sums(s.rows * map_columns(s.columns)) {
    for (size_t i = 0; i < s.rows; ++i)
      for (size_t n = 0; n < s.columns; ++n)
        for (size_t k = 0; k < s.depth; ++k) {
          const int8_t w = weight_value(fill, n, k, random);
          const size_t column = i * map_columns(s.columns) + n;
          data()[packed_offset(layout, column, k, s.depth)] = w;
          sums[column] += w;
        }
    for (size_t n = 0; n < s.columns; ++n) {
      scale.push_back(random.uniform(1e-4f, 1e-2f));
      bias.push_back(random.normal());
    }
  }
  int8_t* data() { return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64; }
  PackedWeights packed(Layout layout, bool with_bias) {
    return {data(), scale.data(), sums.data(), with_bias ? bias.data() : nullptr, layout};
  }
};

// MapRowsOf of a map whose last readable byte lies before a guard page.
struct MapRowsOf {
  std::vector<std::unique_ptr<GuardedBuffer<uint8_t>>> bytes;
  std::vector<const uint8_t*> src;
  std::vector<RowScale> scales;

  MapRowsOf(size_t rows, size_t used, bool extreme, SeededRandom& random) {
    for (size_t i = 0; i < rows; ++i) {
      GuardedBuffer<uint8_t>& row = *bytes.emplace_back(std::make_unique<GuardedBuffer<uint8_t>>(used + kMapSlack));
      for (size_t j = 0; j < row.size(); ++j) row[j] = extreme ? uint8_t{255} : static_cast<uint8_t>(random.bits());
      src.push_back(row.data());
      scales.push_back(
          {extreme ? 1.0f : random.uniform(1e-3f, 1.0f), extreme ? static_cast<int32_t>(i % 2) * 255 : random.integer(0, 255)});
    }
  }
};

Clamp some_clamp(size_t i) { return static_cast<Clamp>(i % 3); }

void compare_conv(const ConvKernels& reference, const ConvKernels& level, const MapShape& s, Layout layout, WeightFill fill,
                  size_t more, SeededRandom& random) {
  MapWeights w(s, layout, fill, random);
  MapRowsOf rows(s.rows, (s.outputs - 1) * s.step + s.depth, fill == WeightFill::kAll127 || fill == WeightFill::kAllMinus127,
                 random);
  const size_t stride = s.columns + more;
  GuardedBuffer<float> want((s.outputs - 1) * stride + s.columns), got(want.size());
  for (size_t i = 0; i < want.size(); ++i) want[i] = got[i] = 77.0f;
  MapConvArgs a = {s.outputs,
                   s.columns,
                   s.rows,
                   s.depth,
                   rows.src.data(),
                   rows.scales.data(),
                   s.step,
                   w.packed(layout, s.outputs % 2 != 0),
                   want.data(),
                   static_cast<ptrdiff_t>(stride),
                   some_clamp(s.columns)};
  reference.map_conv[static_cast<size_t>(layout)](a);
  a.dst = got.data();
  level.map_conv[static_cast<size_t>(layout)](a);
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
      << s.outputs << " outputs " << s.columns << " filters " << s.rows << " rows of " << s.depth << " step " << s.step;
}

constexpr Layout kMapLayouts[] = {Layout::kN16K4, Layout::kN8K8, Layout::kN2K16};

TEST_P(MapConvTest, EveryTail) {
  SeededRandom random;
  for (const Layout layout : kMapLayouts) {
    for (size_t outputs = 1; outputs <= 27; ++outputs)
      for (size_t filters : {1, 7, 15, 16, 17, 31, 32, 33, 48, 49, 64, 70, 100})
        compare_conv(conv_ref(), conv(),
                     {outputs, filters, (outputs + filters) % 5, 1 + (outputs * 7 + filters) % 40, 1 + (outputs + filters) % 33},
                     layout, WeightFill::kRandom, filters % 2, random);
    for (size_t depth = 1; depth <= 70; ++depth)
      compare_conv(conv_ref(), conv(), {1 + depth % 13, 1 + depth % 37, 1 + depth % 3, depth, depth}, layout,
                   WeightFill::kRandom, 0, random);
  }
}

// Levels that turn rows beforehand have room for some of these outputs at a time, for a few, and for none. 255 * 127 * 131 is odd and above 2^22.
TEST_P(MapConvTest, LongPatchesOfManyOutputs) {
  SeededRandom random;
  for (const Layout layout : kMapLayouts) {
    for (size_t depth : {129, 131})
      compare_conv(conv_ref(), conv(), {61, 9, 3, depth, depth}, layout, WeightFill::kAll127, 1, random);
    compare_conv(conv_ref(), conv(), {41, 9, 3, 600, 600}, layout, WeightFill::kRandom, 0, random);
    compare_conv(conv_ref(), conv(), {9, 9, 2, 4000, 0}, layout, WeightFill::kRandom, 0, random);
    compare_conv(conv_ref(), conv(), {7, 9, 16, 900, 900}, layout, WeightFill::kRandom, 0, random);
  }
}

TEST_P(MapConvTest, LargestSums) {
  SeededRandom random;
  for (const Layout layout : kMapLayouts) {
    compare_conv(conv_ref(), conv(), {7, 33, 2, 65000, 1}, layout, WeightFill::kAll127, 0, random);
    compare_conv(conv_ref(), conv(), {7, 33, 3, 64999, 3}, layout, WeightFill::kAllMinus127, 0, random);
    for (const WeightFill fill : {WeightFill::kAlternating, WeightFill::kSumsOf255Or256, WeightFill::kSmall})
      compare_conv(conv_ref(), conv(), {7, 33, 3, 96, 32}, layout, fill, 0, random);
  }
}

// Rows of outputs one after the other, the first and the last of which miss a row of the kernel: a level may keep what it found out about the weights.
TEST_P(MapConvTest, RowsOfOutputsWithMemory) {
  SeededRandom random;
  for (const WeightFill fill : {WeightFill::kRandom, WeightFill::kSumsOf255Or256, WeightFill::kSmall})
    for (size_t depth : {9, 27, 48, 96, 1100}) {
      const MapShape s = {13, 41, 3, depth, 3};
      MapWeights w(s, Layout::kN16K4, fill, random);
      const PackedWeights all = w.packed(Layout::kN16K4, true);
      GuardedBuffer<uint64_t> memory(kMapConvScratch / sizeof(uint64_t));
      for (size_t i = 0; i < memory.size(); ++i) memory[i] = i == 0 ? 0 : random.bits();
      for (size_t row = 0; row < 6; ++row) {
        const size_t first = row == 0 ? 1 : 0, count = row == 0 || row == 5 ? 2 : 3;
        MapRowsOf rows(count, (s.outputs - 1) * s.step + s.depth, false, random);
        PackedWeights inside = all;
        inside.data += first * map_columns(s.columns) * round_up(depth, 4);
        inside.colsum += first * map_columns(s.columns);
        std::vector<float> want(s.outputs * s.columns), got(want.size());
        MapConvArgs a = {s.outputs, s.columns, count, s.depth, rows.src.data(), rows.scales.data(), s.step, inside, want.data(),
                         static_cast<ptrdiff_t>(s.columns), Clamp::kNone};
        conv_ref().map_conv[0](a);
        a.dst = got.data();
        a.scratch = memory.data();
        conv().map_conv[0](a);
        ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << "row " << row << " of depth " << depth;
      }
    }
}

// What a level gives for rows of q - 128, if it reads them: as the reference for q.
void compare_signed(const ConvKernels& reference, const ConvKernels& level, const MapShape& s, WeightFill fill, SeededRandom& random) {
  MapWeights w(s, Layout::kN16K4, fill, random);
  MapRowsOf rows(s.rows, (s.outputs - 1) * s.step + s.depth, fill == WeightFill::kAll127, random);
  std::vector<float> want(s.outputs * s.columns), got(want.size());
  MapConvArgs a = {s.outputs, s.columns, s.rows, s.depth, rows.src.data(), rows.scales.data(), s.step, w.packed(Layout::kN16K4, true), want.data(),
                   static_cast<ptrdiff_t>(s.columns), some_clamp(s.outputs)};
  reference.map_conv[0](a);
  for (const auto& row : rows.bytes)
    for (size_t i = 0; i < row->size(); ++i) (*row)[i] ^= 0x80;
  a.dst = got.data();
  a.signed_bytes = true;
  level.map_conv[0](a);
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << s.outputs << " outputs " << s.columns << " filters " << s.rows << " rows of " << s.depth;
}

// Short and long patches, few filters and many, and rows longer than levels turn at a time.
TEST_P(MapConvTest, SignedRows) {
  if (!reads_signed_maps(kernels().isa, Layout::kN16K4)) GTEST_SKIP();
  SeededRandom random;
  for (const MapShape& s : {MapShape{1, 1, 1, 1, 1}, {5, 7, 3, 9, 3}, {32, 16, 3, 48, 16}, {17, 33, 2, 96, 64}, {13, 64, 3, 192, 64}, {9, 20, 0, 24, 8},
                            {61, 9, 3, 600, 600}, {7, 9, 16, 900, 900}, {9, 9, 2, 4000, 0}, {7, 33, 2, 65000, 1}})
    for (const WeightFill fill : {WeightFill::kRandom, WeightFill::kAll127}) compare_signed(conv_ref(), conv(), s, fill, random);
}

// Nothing has to be turned, so that nothing else bounds what a level keeps of each block of weights on its stack: of all rows 1024 blocks of 16, one more, and as many as there can be.
TEST_P(MapConvTest, SignedRowsOfAnyLengthStayWithinTheStack) {
  if (!reads_signed_maps(kernels().isa, Layout::kN16K4)) GTEST_SKIP();
  SeededRandom random;
  for (const MapShape& s : {MapShape{8, 2, 16, 1024, 16}, {8, 2, 1, 16384, 1}, {8, 2, 1, 16400, 1}, {8, 2, 16, 1040, 16}, {8, 2, 16, 65000, 0}, {3, 2, 16, 65000, 0}})
    compare_signed(conv_ref(), conv(), s, WeightFill::kRandom, random);
}

TEST_P(MapConvTest, ScalesThatAreNoNumbers) {
  SeededRandom random;
  const MapShape s = {9, 20, 3, 24, 8};
  MapWeights w(s, Layout::kN16K4, WeightFill::kRandom, random);
  for (const float scale :
       {0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.0f, 1e38f, 1e-38f}) {
    MapRowsOf rows(s.rows, (s.outputs - 1) * s.step + s.depth, false, random);
    rows.scales[1].scale = scale;
    std::vector<float> want(s.outputs * s.columns), got(want.size());
    MapConvArgs a = {
        s.outputs,   s.columns, s.rows,      s.depth, rows.src.data(), rows.scales.data(), s.step, w.packed(Layout::kN16K4, true),
        want.data(), 20,        Clamp::kNone};
    conv_ref().map_conv[0](a);
    a.dst = got.data();
    conv().map_conv[0](a);
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << scale;
  }
}

void compare_depthwise(const ConvKernels& reference, const ConvKernels& level, const MapShape& s, WeightFill fill,
                       SeededRandom& random) {
  MapWeights w(s, Layout::kN16K4, fill, random);
  const size_t used = (s.outputs - 1) * s.step + (round_up(s.depth, 4) - 1) * s.tap + s.columns;
  MapRowsOf rows(s.rows, used, fill == WeightFill::kAll127 || fill == WeightFill::kAllMinus127, random);
  GuardedBuffer<float> want(s.outputs * s.columns), got(want.size());
  MapDepthwiseArgs a = {s.outputs,
                        s.columns,
                        s.rows,
                        s.depth,
                        rows.src.data(),
                        rows.scales.data(),
                        s.tap,
                        s.step,
                        w.packed(Layout::kN16K4, s.outputs % 2 != 0),
                        want.data(),
                        some_clamp(s.columns)};
  reference.map_depthwise(a);
  a.dst = got.data();
  level.map_depthwise(a);
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
      << s.outputs << " outputs " << s.columns << " channels " << s.rows << " rows of " << s.depth << " taps, step " << s.step
      << " tap " << s.tap;
}

TEST_P(MapConvTest, DepthwiseTails) {
  SeededRandom random;
  for (size_t outputs = 1; outputs <= 17; ++outputs)
    for (size_t channels : {1, 3, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 70})
      for (size_t stride = 1; stride <= 3; ++stride)
        for (size_t dilation = 1; dilation <= 2; ++dilation) {
          const size_t taps = 1 + (outputs + channels) % 11;
          compare_depthwise(conv_ref(), conv(),
                            {outputs, channels, (outputs + stride) % 5, taps, stride * channels, dilation * channels},
                            WeightFill::kRandom, random);
          compare_depthwise(conv_ref(), conv(), {outputs, channels, 3, 3, stride * channels, dilation * channels},
                            WeightFill::kRandom, random);
        }
  compare_depthwise(conv_ref(), conv(), {9, 40, 5, 64, 40, 40}, WeightFill::kAll127, random);
  compare_depthwise(conv_ref(), conv(), {9, 40, 16, 3, 40, 40}, WeightFill::kAllMinus127, random);
  compare_depthwise(conv_ref(), conv(), {8, 40, 3, 2, 40, 40}, WeightFill::kAll127, random);
}

TEST_P(MapConvTest, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 90; ++i) {
    const size_t rows = i % 4 == 0 ? 16 : static_cast<size_t>(random.integer(0, 4)), depth = drawn_size(i % 3 == 0 ? 65000 : 3000, random);
    const size_t each = depth * std::max(rows, size_t{1}), filters = drawn_within(1 << 18, each, 2000, random);
    const MapShape s = {drawn_within(1 << 18, each * filters, 3000, random), filters, rows, depth, random.integer(0, 3) == 0 ? 0 : drawn_size(depth, random)};
    compare_conv(conv_ref(), conv(), s, kMapLayouts[i % 3], WeightFill::kRandom, 1, random);
    if (reads_signed_maps(kernels().isa, Layout::kN16K4)) compare_signed(conv_ref(), conv(), s, WeightFill::kRandom, random);
  }
  for (int i = 0; i < 60; ++i) {
    const size_t channels = drawn_size(i % 3 == 0 ? 20000 : 300, random), taps = static_cast<size_t>(random.integer(1, i % 2 == 0 ? 64 : 5));
    compare_depthwise(conv_ref(), conv(),
                      {drawn_within(1 << 15, channels, 300, random), channels, static_cast<size_t>(random.integer(0, 3)), taps,
                       channels * static_cast<size_t>(random.integer(0, 3)), channels * static_cast<size_t>(random.integer(1, 2))},
                      WeightFill::kRandom, random);
  }
}

ERT_INSTANTIATE_LEVELS(MapConvTest);

}  // namespace
}  // namespace ert::kernels::testing
