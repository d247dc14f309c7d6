// Dense convolution in place of every level against the reference, bit for bit: tails of filters and outputs, steps of either layout, extreme values.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class DirectTest : public LevelTest {
 protected:
  struct Shape {
    size_t outputs, filters, rows, taps, channels, step, dilation;
  };
  // What is read last ends at the guard page, in the map and in the weights.
  void compare(const Shape& s, bool channels_first, Fill fill, bool with_bias, SeededRandom& random) {
    const size_t width = (s.outputs - 1) * s.step + (s.taps == 0 ? 0 : s.taps - 1) * s.dilation + 1,
                 plane = (s.rows == 0 ? 1 : s.rows) * width;
    const size_t column = channels_first ? 1 : s.channels;
    GuardedBuffer<float> src(plane * s.channels), bias(s.filters);
    GuardedBuffer<float> weights(s.rows * s.taps == 0 ? 1 : s.rows * s.taps * s.channels * s.filters);
    GuardedBuffer<float> want(s.outputs * s.filters), got(want.size());
    fill_row(src, fill, random);
    fill_row(weights, fill == Fill::kHuge ? Fill::kTiny : fill, random);
    fill_row(bias, Fill::kNormal, random);
    DirectArgs a{s.outputs,
                 s.filters,
                 s.rows,
                 s.taps,
                 s.channels,
                 src.data(),
                 static_cast<ptrdiff_t>(width * column),
                 static_cast<ptrdiff_t>(s.dilation * column),
                 static_cast<ptrdiff_t>(channels_first ? plane : 1),
                 static_cast<ptrdiff_t>(s.step * column),
                 weights.data(),
                 static_cast<ptrdiff_t>(s.taps * s.channels * s.filters),
                 with_bias ? bias.data() : nullptr,
                 want.data(),
                 static_cast<Clamp>((s.outputs + s.filters) % 3)};
    conv_ref().direct(a);
    a.dst = got.data();
    conv().direct(a);
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
        << s.outputs << " outputs " << s.filters << " filters " << s.rows << "x" << s.taps << "x" << s.channels << " step "
        << s.step << (channels_first ? " channels first " : " ") << fill_name(fill);
  }
};

TEST_P(DirectTest, Tails) {
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 5, 6, 7, 8, 9, 13, 16, 17, 31, 33, 49}) {
    for (size_t filters : {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40, 48, 65}) {
      compare({outputs, filters, 3, 3, 1 + filters % 4, 1 + outputs % 3, 1 + filters % 2}, outputs % 2 != 0, Fill::kNormal,
              filters % 2 != 0, random);
      compare({outputs, filters, 1, 1 + filters % 11, 1 + outputs % 5, 1, 1}, outputs % 2 == 0, Fill::kNormal, filters % 2 == 0,
              random);
    }
  }
}

TEST_P(DirectTest, ExtremeValues) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    compare({7, 37, 5, 5, 3, 1, 1}, true, static_cast<Fill>(fill), true, random);
    compare({9, 16, 11, 7, 2, 2, 1}, false, static_cast<Fill>(fill), false, random);
  }
}

// Kernels with a lane for each of 16 outputs.
TEST_P(DirectTest, FewFilters) {
  SeededRandom random;
  for (size_t filters = 1; filters <= 9; ++filters)
    for (size_t outputs : {15, 16, 17, 31, 32, 33, 48, 50})
      for (size_t channels : {1, 15, 16, 17, 32, 33})
        compare({outputs, filters, 1 + channels % 3, 1 + outputs % 2, channels, 1 + outputs % 3, 1}, channels % 2 == 0, Fill::kNormal, true, random);
  for (size_t filters = 1; filters <= 8; ++filters) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill)
      for (const bool channels_first : {false, true}) compare({37, filters, 2, 3, 17, 1, 1}, channels_first, static_cast<Fill>(fill), fill % 2 == 0, random);
    compare({20, filters, 0, 0, 16, 1, 1}, false, Fill::kNormal, true, random);
  }
}

// Outputs that lie in the padding: nothing is read.
TEST_P(DirectTest, NoTaps) {
  SeededRandom random;
  compare({5, 19, 0, 0, 3, 1, 1}, true, Fill::kNormal, true, random);
  compare({5, 19, 0, 0, 3, 1, 1}, false, Fill::kNormal, false, random);
}

TEST_P(DirectTest, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const size_t rows = static_cast<size_t>(random.integer(1, 4)), taps = static_cast<size_t>(random.integer(1, 6)), channels = drawn_size(i % 4 == 0 ? 5000 : 60, random);
    const size_t filters = drawn_within(1 << 17, rows * taps * channels, 2000, random), outputs = drawn_within(1 << 18, rows * taps * channels * filters, 200, random);
    compare({outputs, filters, rows, taps, channels, 1 + outputs % 3, 1 + filters % 2}, i % 2 == 0, Fill::kNormal, i % 3 == 0, random);
  }
}

ERT_INSTANTIATE_LEVELS(DirectTest);

}  // namespace
}  // namespace ert::kernels::testing
