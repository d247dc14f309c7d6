// Made-up pictures: the same on every host, with colours that go together, and with the dark, thin strokes of writing.
#include "convert/inputs/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace edgeconv::testing {

namespace {

constexpr int64_t kHeight = 96, kWidth = 120;
constexpr size_t kPlane = static_cast<size_t>(kHeight * kWidth);

double correlation(const float* a, const float* b) {
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < kPlane; ++i) sa += a[i], sb += b[i], aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  const double n = kPlane;
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

TEST(Pictures, ColoursGoTogether) {
  double mean = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const std::vector<float> p = picture(kHeight, kWidth, 3, seed, random);
    ASSERT_EQ(p.size(), 3 * kPlane);
    for (float v : p) ASSERT_TRUE(v >= 0 && v <= 1);
    mean += correlation(p.data(), p.data() + kPlane) / 20;
  }
  EXPECT_GT(mean, 0.5);
  EXPECT_LT(mean, 0.99) << "but they are not grey";
}

// Neighbours are alike, and far fewer edges than noise would have.
TEST(Pictures, AreNoNoise) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const std::vector<float> p = picture(kHeight, kWidth, 1, seed, random);
    double mean = 0, spread = 0, steps = 0;
    for (float v : p) mean += v / static_cast<double>(kPlane);
    for (size_t i = 0; i + 1 < kPlane; ++i)
      spread += (p[i] - mean) * (p[i] - mean), steps += (p[i + 1] - p[i]) * (p[i + 1] - p[i]);
    EXPECT_GT(spread, 1e-4 * static_cast<double>(kPlane)) << seed;
    EXPECT_LT(steps, 1.5 * spread) << seed << ": of noise it is twice as much";
  }
}

// A line is not all paper: runs of ink that are a few pixels wide.
TEST(Pictures, SomeLinesAreWriting) {
  int written = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::vector<float> p = picture(48, 240, 1, seed, random);
    int crossings = 0;
    double mean = 0;
    for (float v : p) mean += v / static_cast<double>(p.size());
    for (size_t x = 24 * 240; x + 1 < 25 * 240; ++x)
      crossings += (p[x] - mean > 0.2) != (p[x + 1] - mean > 0.2) || (p[x] - mean < -0.2) != (p[x + 1] - mean < -0.2);
    written += crossings > 12;
  }
  EXPECT_GT(written, 5);
  EXPECT_LT(written, 30);
}

// Three in a row: a scene, a page of which most is of one brightness, a sign; the page without noise.
TEST(Pictures, FewAreOfAllKinds) {
  const auto flat = [](const std::vector<float>& p) {
    size_t same = 0;
    for (size_t i = 0; i + 2 < kPlane; ++i) same += std::fabs(p[i] - p[i + 1]) < 1e-3f && std::fabs(p[i + 2] - p[i + 1]) < 1e-3f;
    return static_cast<double>(same) / kPlane;
  };
  double scenes = 0, pages = 0, signs = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    scenes += flat(picture(kHeight, kWidth, 1, 15 * seed, random)) / 10;
    pages += flat(picture(kHeight, kWidth, 1, 15 * seed + 1, random)) / 10;
    signs += flat(picture(kHeight, kWidth, 1, 15 * seed + 2, random)) / 10;
  }
  EXPECT_GT(pages, 0.4);
  EXPECT_LT(scenes, 0.25) << "but for margins";
  EXPECT_LT(signs, 0.25);
}

// PP-OCR's classifier of lines was certified 8 dB too good: every made-up line went to the right edge, those of people have blank paper behind them.
TEST(Pictures, SomeLinesEndEarly) {
  int early = 0, full = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::vector<float> p = picture(48, 192, 1, 1 + 5 * seed, random);  // all of them writing
    int64_t last = 0;
    for (int64_t y = 8; y < 40; ++y)
      for (int64_t x = 1; x < 184; ++x)
        if (std::fabs(p[static_cast<size_t>(y * 192 + x)] - p[static_cast<size_t>(y * 192 + x - 1)]) > 0.2f)
          last = std::max(last, x);
    early += last < 150;
    full += last >= 170;
  }
  EXPECT_GT(early, 8);
  EXPECT_GT(full, 4);
}

TEST(Pictures, OfAnySizeAreWhole) {
  for (const auto& [height, width] :
       {std::pair(1, 1), std::pair(1, 50), std::pair(50, 1), std::pair(3, 5), std::pair(64, 7), std::pair(7, 300)})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      for (float v : picture(height, width, 3, seed, random)) ASSERT_TRUE(std::isfinite(v)) << height << "x" << width;
    }
}

// A checksum of the bytes.
TEST(Pictures, AreTheSameOnEveryHost) {
  uint32_t sum = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    for (float v : picture(40 + 8 * static_cast<int64_t>(seed), 80, 3, seed, random))
      sum = sum * 31 + static_cast<uint32_t>(v * 65536);
  }
  EXPECT_EQ(sum, 2804529387u);
}

}  // namespace

}  // namespace edgeconv::testing
