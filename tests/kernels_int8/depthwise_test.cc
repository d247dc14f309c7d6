// Depthwise convolution of every level against the reference, bit for bit: tails of channels and outputs, steps, extreme values.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class DepthwiseTest : public LevelTest {
 protected:
  struct Shape {
    size_t outputs, channels, rows, taps, step, dilation;
  };
  void compare(const Shape& s, Fill fill, bool with_bias, SeededRandom& random) {
    // The last pixel that is read ends at the guard page, and so do the last weights.
    const size_t width = (s.outputs - 1) * s.step + (s.taps == 0 ? 0 : s.taps - 1) * s.dilation + 1;
    GuardedBuffer<float> src(s.rows == 0 ? 1 : s.rows * width * s.channels), bias(s.channels);
    GuardedBuffer<float> weights(s.rows * s.taps == 0 ? 1 : s.rows * s.taps * s.channels);
    GuardedBuffer<float> want(s.outputs * s.channels), got(want.size());
    fill_row(src, fill, random);
    fill_row(weights, fill == Fill::kHuge ? Fill::kTiny : fill, random);
    fill_row(bias, Fill::kNormal, random);
    DepthwiseArgs a{s.outputs,
                    s.channels,
                    s.rows,
                    s.taps,
                    src.data(),
                    static_cast<ptrdiff_t>(width * s.channels),
                    static_cast<ptrdiff_t>(s.dilation * s.channels),
                    static_cast<ptrdiff_t>(s.step * s.channels),
                    weights.data(),
                    static_cast<ptrdiff_t>(s.taps * s.channels),
                    with_bias ? bias.data() : nullptr,
                    want.data()};
    conv_kernels(Isa::kRef).depthwise(a);
    a.dst = got.data();
    conv_kernels(kernels().isa).depthwise(a);
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
        << s.outputs << " outputs " << s.channels << " channels " << s.rows << "x" << s.taps << " step " << s.step << " "
        << fill_name(fill);
  }
};

TEST_P(DepthwiseTest, Tails) {
  SeededRandom random;
  for (size_t outputs : {1, 2, 3, 5, 6, 7, 8, 9, 13, 17}) {
    for (size_t channels : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 20, 31, 32, 33, 48, 65}) {
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

// Outputs that lie in the padding: nothing is read.
TEST_P(DepthwiseTest, NoTaps) {
  SeededRandom random;
  compare({5, 19, 0, 0, 1, 1}, Fill::kNormal, true, random);
  compare({5, 19, 0, 0, 1, 1}, Fill::kNormal, false, random);
}

ERT_INSTANTIATE_LEVELS(DepthwiseTest);

}  // namespace
}  // namespace ert::kernels::testing
