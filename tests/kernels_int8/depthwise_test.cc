// Depthwise convolution of every level against the reference, bit for bit: tails of channels and outputs, steps, extreme values.
#include <limits>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class DepthwiseTest : public LevelTest {
 protected:
  struct Shape {
    size_t outputs, channels, rows, taps, step, dilation, beside = 0;  // beside: channels of a pixel that are not done
  };
  void compare(const Shape& s, Fill fill, bool with_bias, SeededRandom& random) {
    // The last pixel that is read ends at the guard page, and so do the last weights.
    const size_t width = (s.outputs - 1) * s.step + (s.taps == 0 ? 0 : s.taps - 1) * s.dilation + 1;
    const size_t pixel = s.channels + s.beside;
    const auto elements = [&](size_t pixels) { return pixels == 0 ? 1 : pixels * pixel - s.beside; };
    GuardedBuffer<float> src(elements(s.rows * width)), bias(s.channels), weights(elements(s.rows * s.taps));
    GuardedBuffer<float> want(elements(s.outputs)), got(want.size());
    fill_row(want, Fill::kNormal, random);  // what lies beside the channels stays
    std::copy(want.data(), want.data() + want.size(), got.data());
    fill_row(src, fill, random);
    fill_row(weights, fill == Fill::kHuge ? Fill::kTiny : fill, random);
    fill_row(bias, Fill::kNormal, random);
    DepthwiseArgs a{s.outputs,
                    s.channels,
                    s.rows,
                    s.taps,
                    src.data(),
                    static_cast<ptrdiff_t>(width * pixel),
                    static_cast<ptrdiff_t>(s.dilation * pixel),
                    static_cast<ptrdiff_t>(s.step * pixel),
                    pixel,
                    weights.data(),
                    static_cast<ptrdiff_t>(s.taps * pixel),
                    with_bias ? bias.data() : nullptr,
                    want.data(),
                    static_cast<Clamp>((s.outputs + s.channels) % 3)};
    conv_ref().depthwise(a);
    a.dst = got.data();
    conv().depthwise(a);
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
        << s.outputs << " outputs " << s.channels << " channels " << s.rows << "x" << s.taps << " step " << s.step << " "
        << fill_name(fill);
  }
};

TEST_P(DepthwiseTest, Tails) {
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 5, 6, 7, 8, 9, 13, 17}) {
    for (size_t channels : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 20, 24, 31, 32, 33, 40, 48, 65}) {
      compare({outputs, channels, 3, 3, 1 + outputs % 3, 1 + channels % 2}, Fill::kNormal, channels % 2 != 0, random);
      compare({outputs, channels, 1, 1 + channels % 11, 1, 1}, Fill::kNormal, channels % 2 == 0, random);
    }
  }
}

TEST_P(DepthwiseTest, ExtremeValues) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    compare({7, 37, 5, 5, 1, 1}, static_cast<Fill>(fill), true, random);
    compare({9, 16, 11, 7, 2, 1}, static_cast<Fill>(fill), false, random);
  }
}

// Some of the channels of each pixel.
TEST_P(DepthwiseTest, PartOfThePixels) {
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 8, 13})
    for (size_t channels : {3, 8, 16, 24, 65})
      for (size_t beside : {1, 8, 33})
        compare({outputs, channels, 3, 5, 1 + outputs % 2, 1, beside}, Fill::kNormal, channels % 2 == 0, random);
}

// Outputs that lie in the padding: nothing is read.
TEST_P(DepthwiseTest, NoTaps) {
  SeededRandom random;
  compare({5, 19, 0, 0, 1, 1}, Fill::kNormal, true, random);
  compare({5, 19, 0, 0, 1, 1}, Fill::kNormal, false, random);
}

// Rows of three columns in one call against the reference's run of each output.
struct Rows {
  size_t lines, outputs, channels, rows, before, behind, step, dilation;
  Clamp clamp;
  bool with_bias;
};

void compare_rows(Depthwise3Fn depthwise3, const Rows& s, Fill fill, SeededRandom& random) {
  // Taps of the first outputs and of the last ones that would lie outside are behind the guards of both ends.
  const size_t first = s.before != 0 ? s.dilation : 0, last = s.behind != 0 ? s.dilation : 0;
  const size_t width = (s.outputs - 1) * s.step + 2 * s.dilation + 1 - first - last;
  GuardedBuffer<float> src((s.rows + s.lines - 1) * width * s.channels), weights(s.rows * 3 * s.channels), bias(s.channels);
  GuardedBuffer<float> want(s.lines * s.outputs * s.channels), got(want.size());
  fill_row(src, fill, random);
  fill_row(weights, fill == Fill::kHuge ? Fill::kTiny : fill, random);
  fill_row(bias, Fill::kNormal, random);
  const float* b = s.with_bias ? bias.data() : nullptr;
  const ptrdiff_t row = static_cast<ptrdiff_t>(width * s.channels), tap = static_cast<ptrdiff_t>(s.dilation * s.channels),
                  step = static_cast<ptrdiff_t>(s.step * s.channels), middle = s.before != 0 ? 0 : tap;
  for (size_t i = 0; i < s.lines * s.outputs; ++i) {
    const size_t p = i % s.outputs, from = p < s.before ? 1 : 0, to = p + s.behind >= s.outputs ? 2 : 3;
    conv_level_table(Level::kRef)
        .depthwise({1, s.channels, s.rows, to - from,
                    src.data() + middle + static_cast<ptrdiff_t>(i / s.outputs) * row + static_cast<ptrdiff_t>(p) * step +
                        (static_cast<ptrdiff_t>(from) - 1) * tap,
                    row, tap, 0, s.channels, weights.data() + from * s.channels, static_cast<ptrdiff_t>(3 * s.channels), b,
                    want.data() + i * s.channels, s.clamp});
  }
  depthwise3({s.lines, s.outputs, s.channels, s.rows, s.before, s.behind, src.data() + middle, row, tap, step, row,
              weights.data(), b, got.data(), s.clamp});
  ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
      << s.lines << " lines " << s.outputs << " outputs " << s.channels << " channels " << s.rows << " rows, without tap 0 "
      << s.before << ", without tap 2 " << s.behind << " step " << s.step << " dilation " << s.dilation << " " << fill_name(fill);
}

TEST_P(DepthwiseTest, RowsOfThreeColumns) {
  const Depthwise3Fn depthwise3 = conv().depthwise3;
  if (depthwise3 == nullptr) return;  // this level does them in parts
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 4, 5, 8, 11}) {
    for (size_t channels : {1, 3, 8, 15, 16, 17, 24, 31, 32, 40, 64, 65}) {
      // One output at either edge where a step is as wide as the dilation.
      for (size_t edges = 0; edges < 4; ++edges) {
        const size_t before = edges & 1, behind = edges >> 1, step = 1 + (outputs / 2 + channels) % 2;
        if (before + behind > outputs) continue;
        compare_rows(depthwise3,
                     {1 + outputs % 3, outputs, channels, 1 + (outputs + channels) % 3, before, behind, step,
                      edges % 3 == 0 ? step : 1, static_cast<Clamp>(channels % 3), outputs % 2 != 0},
                     Fill::kNormal, random);
      }
    }
  }
  // Rows longer than what a level does in one pass, and more lines than that.
  compare_rows(depthwise3, {2, 131, 20, 3, 1, 1, 1, 1, Clamp::kRelu, true}, Fill::kNormal, random);
  compare_rows(depthwise3, {1, 130, 6, 2, 1, 0, 2, 2, Clamp::kNone, true}, Fill::kNormal, random);
  compare_rows(depthwise3, {1, 70, 4, 1, 2, 2, 1, 2, Clamp::kNone, false}, Fill::kNormal, random);
  compare_rows(depthwise3, {9, 48, 4, 3, 0, 1, 1, 1, Clamp::kRelu6, false}, Fill::kNormal, random);
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    compare_rows(depthwise3, {2, 7, 37, 3, 1, 1, 1, 1, Clamp::kRelu6, true}, static_cast<Fill>(fill), random);
    compare_rows(depthwise3, {1, 9, 16, 3, 2, 2, 1, 2, Clamp::kNone, false}, static_cast<Fill>(fill), random);
  }
}

TEST_P(DepthwiseTest, ClampsOfEveryKindOfSum) {
  const Depthwise3Fn depthwise3 = conv().depthwise3;
  if (depthwise3 == nullptr) return;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> sums = {nan,
                                   -nan,
                                   0.0f,
                                   -0.0f,
                                   1.0f,
                                   -1.0f,
                                   std::numeric_limits<float>::min(),
                                   -std::numeric_limits<float>::min(),
                                   5.9999995f,
                                   6.0f,
                                   6.0000005f,
                                   -6.0f,
                                   7.0f,
                                   std::numeric_limits<float>::max(),
                                   std::numeric_limits<float>::lowest(),
                                   inf,
                                   -inf,
                                   0.5f};
  const size_t n = sums.size();
  GuardedBuffer<float> src(2 * n), weights(3 * n), bias(n), want(n), got(n);
  std::fill(src.data(), src.data() + 2 * n, -0.0f);  // adds nothing to any of them
  std::copy(sums.begin(), sums.end(), src.data());
  std::fill(weights.data(), weights.data() + 3 * n, 1.0f);
  std::fill(bias.data(), bias.data() + n, -0.0f);
  const ptrdiff_t pixel = static_cast<ptrdiff_t>(n);
  for (const Clamp clamp : {Clamp::kNone, Clamp::kRelu, Clamp::kRelu6}) {
    conv_level_table(Level::kRef)
        .depthwise({1, n, 1, 2, src.data(), 0, pixel, 0, n, weights.data() + n, 3 * pixel, bias.data(), want.data(), clamp});
    depthwise3({1, 1, n, 1, 1, 0, src.data(), 0, pixel, 0, 0, weights.data(), bias.data(), got.data(), clamp});
    ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << static_cast<int>(clamp);
  }
}

TEST_P(DepthwiseTest, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 40; ++i) {
    const size_t channels = drawn_size(i % 3 == 0 ? 20000 : 100, random), outputs = drawn_within(1 << 13, channels, 100, random);
    const Shape s = {outputs, channels, static_cast<size_t>(random.integer(1, 7)), static_cast<size_t>(random.integer(1, 9)), 1 + outputs % 3, 1 + channels % 2, i % 3 == 0 ? drawn_size(40, random) : 0};
    compare(s, Fill::kNormal, i % 2 == 0, random);
    if (conv().depthwise3 != nullptr)
      compare_rows(conv().depthwise3, {1 + outputs % 2, outputs, channels, 1 + channels % 3, 0, outputs % 2, 1, 1, Clamp::kNone, i % 2 == 0}, Fill::kNormal, random);
  }
}

ERT_INSTANTIATE_LEVELS(DepthwiseTest);

}  // namespace
}  // namespace ert::kernels::testing
