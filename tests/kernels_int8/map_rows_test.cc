// Rows of 8-bit maps of every level, from values and back, against the reference bit for bit; nothing behind a row is read or written.
#include <cstring>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class MapRowsTest : public LevelTest {
 protected:
  void quantize(size_t pixels, size_t channels, bool with_factors, GuardedBuffer<float>& src, SeededRandom& random,
                bool clamped = false) const {
    GuardedBuffer<float> factors(channels);
    for (size_t i = 0; i < channels; ++i) factors[i] = random.uniform(0.1f, 3.0f);
    GuardedBuffer<uint8_t> want(pixels * channels), got(want.size());
    RowScale of_want, of_got;
    MapQuantizeArgs a = {pixels, channels, src.data(), with_factors ? factors.data() : nullptr, want.data(), &of_want,
                         clamped};
    conv_ref().map_quantize(a);
    a.dst = got.data();
    a.scale = &of_got;
    conv().map_quantize(a);
    ASSERT_EQ(of_want.zero_point, of_got.zero_point);
    ASSERT_TRUE(all_same_bits(1, &of_want.scale, &of_got.scale)) << of_want.scale << " " << of_got.scale;
    ASSERT_EQ(std::memcmp(want.data(), got.data(), want.size()), 0) << pixels << " pixels of " << channels;
  }
};

TEST_P(MapRowsTest, Quantize) {
  SeededRandom random;
  for (const bool factors : {false, true}) {
    for (size_t pixels : {1, 2, 5, 9})
      for (size_t channels = 1; channels <= 70; ++channels) {
        GuardedBuffer<float> src(pixels * channels);
        fill_row(src, Fill::kNormal, random);
        quantize(pixels, channels, factors, src, random);
      }
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      GuardedBuffer<float> src(7 * 33);
      fill_row(src, static_cast<Fill>(fill), random);
      quantize(7, 33, factors, src, random);
    }
  }
}

// Without a look at the sign, which no value has but NaN.
TEST_P(MapRowsTest, QuantizeClamped) {
  SeededRandom random;
  for (size_t pixels : {1, 3, 9})
    for (size_t channels = 1; channels <= 70; ++channels) {
      GuardedBuffer<float> src(pixels * channels);
      fill_row(src, channels % 7 == 0 ? Fill::kZero : Fill::kNormal, random);
      for (size_t i = 0; i < src.size(); ++i) src[i] = src[i] > 0.0f ? src[i] : 0.0f;
      quantize(pixels, channels, false, src, random, true);
      for (const float odd : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), 3e38f, 1e-40f}) {
        src[channels / 2] = odd;
        quantize(pixels, channels, false, src, random, true);
      }
    }
}

// Channels more and fewer than are done at a time, so that steps begin at any of them.
TEST_P(MapRowsTest, QuantizeManyChannels) {
  SeededRandom random;
  for (size_t channels : {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 96, 100, 127, 128, 129, 250, 300, 513})
    for (size_t pixels : {1, 2, 5, 31}) {
      GuardedBuffer<float> src(pixels * channels);
      fill_row(src, Fill::kNormal, random);
      quantize(pixels, channels, true, src, random);
    }
}

// Levels had other bytes there, which showed where a blob read them with the scales of another map.
TEST_P(MapRowsTest, BytesOfRowsThatOverflowAreZero) {
  SeededRandom random;
  for (const bool factors : {false, true})
    for (const float odd : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
      for (size_t at : {0, 17, 79, 230}) {
        GuardedBuffer<float> src(7 * 33);
        fill_row(src, Fill::kNormal, random);
        src[at] = odd;
        quantize(7, 33, factors, src, random);
      }
}

TEST_P(MapRowsTest, Restore) {
  SeededRandom random;
  for (size_t pixels : {1, 2, 5, 9})
    for (size_t channels = 1; channels <= 70; ++channels)
      for (int form = 0; form < 4; ++form) {
        GuardedBuffer<uint8_t> src(pixels * channels);
        GuardedBuffer<float> factors(channels), want(src.size()), got(src.size());
        for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<uint8_t>(random.bits());
        for (size_t i = 0; i < channels; ++i) factors[i] = random.uniform(0.1f, 3.0f);
        for (size_t i = 0; i < want.size(); ++i) want[i] = got[i] = random.normal();
        const float scale = channels % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : random.uniform(0.0f, 0.2f);
        MapRestoreArgs a = {pixels,
                            channels,
                            src.data(),
                            {scale, random.integer(0, 255)},
                            form % 2 != 0 ? factors.data() : nullptr,
                            want.data(),
                            form / 2 != 0,
                            static_cast<Clamp>(channels % 3)};
        conv_ref().map_restore(a);
        a.dst = got.data();
        conv().map_restore(a);
        ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
            << pixels << " pixels of " << channels << " form " << form;
      }
}

TEST_P(MapRowsTest, QuantizeDrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const size_t channels = drawn_size(i % 3 == 0 ? 50000 : 200, random), pixels = drawn_within(1 << 15, channels, 3000, random);
    GuardedBuffer<float> src(pixels * channels);
    fill_row(src, Fill::kNormal, random);
    quantize(pixels, channels, i % 2 == 0, src, random);
  }
}

ERT_INSTANTIATE_LEVELS(MapRowsTest);

}  // namespace
}  // namespace ert::kernels::testing
