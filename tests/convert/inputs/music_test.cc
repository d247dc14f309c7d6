// Made-up music is what speech is not: lines of power with next to nothing between them.
#include "convert/inputs/music.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "convert/inputs/signals.h"

namespace edgeconv::testing {

namespace {

// How far the median of the powers of 512 bands lies below the largest, in decibels, in the loudest quarter of windows.
double valley_db(const std::vector<float>& sound) {
  constexpr size_t kWindow = 1024;
  std::vector<std::pair<double, double>> windows;  // power, valley
  for (size_t at = 0; at + kWindow <= sound.size(); at += 4 * kWindow) {
    std::vector<double> powers;
    for (size_t band = 1; band < kWindow / 2; ++band) {
      std::complex<double> sum = 0;
      for (size_t i = 0; i < kWindow; ++i) {
        const double hann = 0.5 - 0.5 * std::cos(2 * M_PI * static_cast<double>(i) / kWindow);
        sum += hann * double{sound[at + i]} * std::polar(1.0, -2 * M_PI * static_cast<double>(band * i % kWindow) / kWindow);
      }
      powers.push_back(std::norm(sum) + 1e-12);
    }
    std::sort(powers.begin(), powers.end());
    double total = 0;
    for (double p : powers) total += p;
    windows.emplace_back(total, 10 * std::log10(powers.back() / powers[powers.size() / 2]));
  }
  std::sort(windows.rbegin(), windows.rend());
  double sum = 0;
  const size_t loudest = windows.size() / 4;
  for (size_t i = 0; i < loudest; ++i) sum += windows[i].second;
  return sum / static_cast<double>(loudest);
}

TEST(Music, HasLinesWithNothingBetween) {
  Random one(1), other(1);
  const double of_music = valley_db(music(65536, 0, one)), of_speech = valley_db(sound(65536, 0, other));
  EXPECT_GT(of_music, 60);
  EXPECT_LT(of_speech, of_music - 15);
}

TEST(Music, IsOneOfThreeStreams) {
  for (int64_t stream = 0; stream < 6; ++stream) {
    Random one(7), other(7);
    EXPECT_EQ(sound(2048, stream, one) == music(2048, stream / 3, other), stream % 3 == 2);
  }
}

TEST(Music, IsTheSameOnEveryHost) {
  Random random(1);
  uint32_t sum = 0;
  for (float v : music(20000, 0, random)) sum = sum * 31 + static_cast<uint32_t>(static_cast<int32_t>(v * 32768));
  EXPECT_EQ(sum, 2347526406u);
}

TEST(Music, KeepsItsAmplitude) {
  // Rotations drift unless their length is put right.
  Random random(3);
  const std::vector<float> long_one = music(1 << 20, 0, random);
  float most = 0;
  for (size_t i = long_one.size() / 2; i < long_one.size(); ++i) most = std::max(most, std::fabs(long_one[i]));
  EXPECT_GT(most, 0.1f);
  EXPECT_LE(most, 1.0f);
}

}  // namespace

}  // namespace edgeconv::testing
