// map_check: the kernels of 8-bit maps of the level that this firmware is built for against the reference, bit for bit: every tail, extreme sums, and rows
// of no finite range. As map_conv_test.cc and map_rows_test.cc, for cores without an operating system. Exit 1 if a bit differs.
#include <limits>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/base/float_mode.h"
#include "tests/kernels_int8/cortex_m/checker.h"
#include "tests/kernels_int8/fills.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::RandomNumbers;

struct MapShape {
  size_t outputs, columns, rows, depth;  // columns: filters, or channels; depth: of a patch's row, or taps
  size_t step, tap = 1;                  // in bytes; tap of depthwise only
};

struct MapChecker : Checker {
  const ConvKernels& conv = conv_kernels(own.isa);
  const ConvKernels& conv_ref = conv_kernels(ref.isa);

  PackedWeights weights(const MapShape& s, Layout layout, WeightFill fill, bool with_bias, RandomNumbers& random) {
    const size_t columns = map_columns(s.columns), bytes = packed_bytes(layout, s.rows * columns, s.depth);
    int8_t* data = memory.take<int8_t>(bytes);
    memset(data, 0, bytes);
    int32_t* sums = memory.take<int32_t>(s.rows * columns);
    memset(sums, 0, s.rows * columns * sizeof(int32_t));
    float *scale = memory.take<float>(s.columns), *bias = memory.take<float>(s.columns);
    for (size_t i = 0; i < s.rows; ++i)
      for (size_t n = 0; n < s.columns; ++n)
        for (size_t k = 0; k < s.depth; ++k) {
          const int8_t w = weight_value(fill, n, k, random);
          data[packed_offset(layout, i * columns + n, k, s.depth)] = w;
          sums[i * columns + n] += w;
        }
    for (size_t n = 0; n < s.columns; ++n) scale[n] = random.uniform(1e-4f, 1e-2f), bias[n] = random.normal();
    if (with_bias && s.columns > 3) bias[2] = -std::numeric_limits<float>::quiet_NaN();
    return {data, scale, sums, with_bias ? bias : nullptr, layout};
  }

  const uint8_t* src[kMostMapRows];
  RowScale scales[kMostMapRows];
  void rows(const MapShape& s, size_t used, WeightFill fill, size_t misaligned, RandomNumbers& random) {
    const bool extreme = fill == WeightFill::kAll127 || fill == WeightFill::kAllMinus127;
    for (size_t i = 0; i < s.rows; ++i) {
      const size_t bytes = used + kMapSlack;
      uint8_t* row = memory.take<uint8_t>(bytes + misaligned) + misaligned;
      for (size_t j = 0; j < bytes; ++j) row[j] = extreme ? 255 : static_cast<uint8_t>(random.bits());
      src[i] = row;
      scales[i] = {extreme ? 1.0f : random.uniform(1e-3f, 1.0f),
                   extreme ? static_cast<int32_t>(i % 2) * 255 : random.integer(0, 255)};
    }
    if (s.rows == 3 && s.outputs % 5 == 0) scales[1].scale = std::numeric_limits<float>::infinity();
    if (s.rows == 2 && s.outputs % 5 == 0) scales[1].scale = -std::numeric_limits<float>::quiet_NaN();
  }

  void conv_case(const MapShape& s, Layout layout, WeightFill fill, size_t more) {
    RandomNumbers random("map");
    const size_t stride = s.columns + more, floats = (s.outputs - 1) * stride + s.columns;
    float *want = memory.take<float>(floats), *got = memory.take<float>(floats);
    for (size_t i = 0; i < floats; ++i) want[i] = got[i] = 77.0f;
    const PackedWeights w = weights(s, layout, fill, s.outputs % 2 != 0, random);
    rows(s, (s.outputs - 1) * s.step + s.depth, fill, s.depth % 7 == 0 ? 1 : 0, random);
    MapConvArgs a = {s.outputs,
                     s.columns,
                     s.rows,
                     s.depth,
                     src,
                     scales,
                     s.step,
                     w,
                     want,
                     static_cast<ptrdiff_t>(stride),
                     static_cast<Clamp>(s.columns % 3),
                     memory.take<uint8_t>(kMapConvScratch)};
    conv_ref.map_conv[static_cast<size_t>(layout)](a);
    a.dst = got;
    conv.map_conv[static_cast<size_t>(layout)](a);
    count(same_floats(floats, want, got), "map_conv, outputs filters rows layout:", s.outputs, s.columns, s.rows,
          static_cast<int>(layout));
  }

  void all_conv() {
    for (const Layout layout : {Layout::kN16K4, Layout::kN8K8, Layout::kN2K16}) {
      for (size_t outputs = 1; outputs <= 7; ++outputs)
        for (size_t filters : {1, 2, 3, 4, 5, 7, 16, 17, 33, 64})
          conv_case({outputs, filters, (outputs + filters) % 5, 1 + (outputs * 7 + filters) % 40, 1 + (outputs + filters) % 33},
                    layout, WeightFill::kRandom, filters % 2);
      for (size_t depth = 1; depth <= 70; ++depth) {
        conv_case({1 + depth % 5, 1 + depth % 21, 1 + depth % 3, depth, depth}, layout, WeightFill::kRandom, 0);
        conv_case({1 + depth % 5, 1 + depth % 21, 1 + depth % 9, 4 * depth, 4 * depth}, layout, WeightFill::kRandom, 0);
      }
      for (size_t depth : {600, 1021}) conv_case({3, 35, 3, depth, 8}, layout, WeightFill::kRandom, 1);
      conv_case({3, 5, 2, 65000, 1}, layout, WeightFill::kAll127, 0);
      conv_case({3, 5, 3, 64999, 3}, layout, WeightFill::kAllMinus127, 0);
      for (const WeightFill fill : {WeightFill::kAlternating, WeightFill::kSumsOf255Or256, WeightFill::kSmall})
        conv_case({7, 33, 3, 96, 32}, layout, fill, 0);
    }
  }

  void depthwise_case(const MapShape& s, WeightFill fill) {
    RandomNumbers random("depthwise");
    const size_t floats = s.outputs * s.columns;
    float *want = memory.take<float>(floats), *got = memory.take<float>(floats);
    const PackedWeights w = weights(s, Layout::kN16K4, fill, s.outputs % 2 != 0, random);
    rows(s, (s.outputs - 1) * s.step + (round_up(s.depth, 4) - 1) * s.tap + s.columns, fill, 0, random);
    MapDepthwiseArgs a = {
        s.outputs, s.columns, s.rows, s.depth, src, scales, s.tap, s.step, w, want, static_cast<Clamp>(s.columns % 3)};
    conv_ref.map_depthwise(a);
    a.dst = got;
    conv.map_depthwise(a);
    count(same_floats(floats, want, got), "map_depthwise, outputs channels taps step:", s.outputs, s.columns, s.depth,
          static_cast<int>(s.step / s.columns));
  }

  void all_depthwise() {
    for (size_t outputs = 1; outputs <= 11; ++outputs)
      for (size_t channels : {1, 3, 4, 8, 15, 16, 17, 33, 64})
        for (size_t stride = 1; stride <= 3; ++stride)
          for (size_t dilation = 1; dilation <= 2; ++dilation) {
            depthwise_case({outputs, channels, (outputs + stride) % 5, 1 + (outputs + channels) % 11, stride * channels,
                            dilation * channels},
                           WeightFill::kRandom);
            depthwise_case({outputs, channels, 3, 3, stride * channels, dilation * channels}, WeightFill::kRandom);
          }
    depthwise_case({9, 40, 5, 64, 40, 40}, WeightFill::kAll127);
    depthwise_case({9, 40, 16, 3, 40, 40}, WeightFill::kAllMinus127);
    depthwise_case({8, 40, 3, 2, 40, 40}, WeightFill::kAll127);
  }

  // clamped: values as behind a ReLU, but for the odd one.
  void quantize_case(size_t pixels, size_t channels, bool with_factors, int fill, float odd = 0.0f, bool clamped = false) {
    RandomNumbers random("quantize");
    const size_t n = pixels * channels;
    float *values = memory.take<float>(n), *factors = memory.take<float>(channels);
    for (size_t i = 0; i < n; ++i) values[i] = fill_value(static_cast<Fill>(fill), i, random);
    for (size_t i = 0; i < channels; ++i) factors[i] = random.uniform(0.1f, 3.0f);
    for (size_t i = 0; clamped && i < n; ++i) values[i] = values[i] > 0.0f ? values[i] : 0.0f;
    if (odd != 0.0f) values[n / 2] = odd;
    const size_t misaligned = pixels % 2;
    uint8_t *want = memory.take<uint8_t>(n), *got = memory.take<uint8_t>(n + misaligned) + misaligned;
    RowScale of_want, of_got;
    MapQuantizeArgs a = {pixels, channels, values, with_factors ? factors : nullptr, want, &of_want, clamped};
    conv_ref.map_quantize(a);
    a.dst = got;
    a.scale = &of_got;
    conv.map_quantize(a);
    bool good = same_floats(1, &of_want.scale, &of_got.scale) && of_want.zero_point == of_got.zero_point;
    good = good && memcmp(want, got, n) == 0;
    count(good, "map_quantize, pixels channels factors fill:", pixels, channels, with_factors, fill);
  }

  void restore_case(size_t pixels, size_t channels, size_t form) {
    RandomNumbers random("restore");
    const size_t n = pixels * channels;
    uint8_t* bytes = memory.take<uint8_t>(n);
    float *factors = memory.take<float>(channels), *want = memory.take<float>(n), *got = memory.take<float>(n);
    for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<uint8_t>(random.bits());
    for (size_t i = 0; i < channels; ++i) factors[i] = random.uniform(0.1f, 3.0f);
    for (size_t i = 0; i < n; ++i) want[i] = got[i] = i == 5 ? -std::numeric_limits<float>::quiet_NaN() : random.normal();
    const float scale = channels % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : random.uniform(0.0f, 0.2f);
    MapRestoreArgs a = {pixels,
                        channels,
                        bytes,
                        {scale, random.integer(0, 255)},
                        form % 2 != 0 ? factors : nullptr,
                        want,
                        form / 2 != 0,
                        static_cast<Clamp>(channels % 3)};
    conv_ref.map_restore(a);
    a.dst = got;
    conv.map_restore(a);
    count(same_floats(n, want, got), "map_restore, pixels channels form:", pixels, channels, form, 0);
  }

  // No level's reference: the definition of MapMean (NUMERICS.md 3).
  void sum_case(size_t pixels, size_t channels, bool extreme) {
    RandomNumbers random("sum");
    const size_t n = pixels * channels, misaligned = pixels % 2;
    uint8_t* bytes = memory.take<uint8_t>(n + misaligned) + misaligned;
    float *want = memory.take<float>(channels), *got = memory.take<float>(channels);
    for (size_t i = 0; i < n; ++i) bytes[i] = extreme ? 255 : static_cast<uint8_t>(random.bits());
    const RowScale scale = {random.uniform(0.0f, 0.2f), extreme ? 0 : random.integer(0, 255)};
    for (size_t c = 0; c < channels; ++c) {
      const float before = random.normal();
      int32_t sum = 0;
      for (size_t p = 0; p < pixels; ++p) sum += bytes[p * channels + c] - scale.zero_point;
      const float part = static_cast<float>(sum) * scale.scale;
      want[c] = before + part;
      got[c] = before;
    }
    conv.map_sum({pixels, channels, bytes, scale, got});
    count(same_floats(channels, want, got), "map_sum, pixels channels:", pixels, channels, 0, 0);
  }

  void all_rows() {
    if (conv.map_sum == nullptr) Memory::stop("this level has no map_sum\n");
    for (size_t pixels : {1, 2, 6, 257, 258, 1030})
      for (size_t channels : {1, 3, 4, 7, 8, 17, 32})
        for (const bool extreme : {false, true}) sum_case(pixels, channels, extreme);
    for (size_t pixels : {1, 2, 5, 9})
      for (size_t channels = 1; channels <= 70; ++channels) {
        quantize_case(pixels, channels, channels % 2 != 0, 0);
        quantize_case(pixels, channels, channels % 2 == 0, 0);
        quantize_case(pixels, channels, false, 0, 0.0f, true);
        for (size_t form = 0; form < 4; ++form) restore_case(pixels, channels, form);
      }
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill)
      for (const float odd : {0.0f, not_a_number, -not_a_number, std::numeric_limits<float>::infinity(), 3e38f, 1e-40f})
        quantize_case(6, 33, false, fill, odd, true);
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill)
      for (const bool factors : {false, true}) {
        quantize_case(7, 33, factors, fill);
        quantize_case(6, 32, factors, fill);
        for (const float odd : {not_a_number, -not_a_number, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
          quantize_case(6, 32, factors, fill, odd);
      }
  }
};

int run() {
  const ert::FloatMode float_mode;
  MapChecker c;
  c.must_see();
  c.all_conv();
  c.all_depthwise();
  c.all_rows();
  return c.report("kernels of maps");
}

}  // namespace
}  // namespace ert::kernels::testing

int main() { return ert::kernels::testing::run(); }
