// See music.h.
#include "convert/inputs/music.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "convert/inputs/polynomial_waves.h"

namespace edgeconv {

namespace {

constexpr int kMostHarmonics = 8;
constexpr int kStrings = 4;
constexpr int kAttack = 160;  // samples until a note is loudest
constexpr int kShortestNote = 1600, kLongestNote = 9600;
constexpr double kPeaks[] = {0.6, 0.12, 0.35, 0.02};  // of streams that belong together
constexpr double kHiss[] = {0, 2e-5, 0, 2e-4};

// A sine without libm: a rotation by one sample's angle, whose length is put right at each step.
class Partial {
 public:
  void begin(double frequency, double amplitude) {
    const double angle = 2 * kPi * frequency;
    cosine_ = polynomial_cosine(angle);
    sine_ = polynomial_sine(angle);
    x_ = 1, y_ = 0, amplitude_ = amplitude;
  }
  double next() {
    const double x = cosine_ * x_ - sine_ * y_, y = sine_ * x_ + cosine_ * y_;
    const double right = (3 - (x * x + y * y)) / 2;
    x_ = x * right, y_ = y * right;
    return amplitude_ * y_;
  }

 private:
  double cosine_ = 1, sine_ = 0, x_ = 1, y_ = 0, amplitude_ = 0;
};

// Plays one note after the other, with rests.
class String {
 public:
  double next(Random& random) {
    if (left_ == 0) begin(random);
    --left_;
    if (harmonics_ == 0) return 0;
    double sum = 0;
    for (size_t h = 0; h < harmonics_; ++h) sum += partials_[h].next();
    rise_ = std::min(1.0, rise_ + 1.0 / kAttack);
    decayed_ *= decay_;
    return sum * rise_ * decayed_;
  }

 private:
  void begin(Random& random) {
    left_ = kShortestNote + random.below(kLongestNote - kShortestNote);
    harmonics_ = 0;
    if (random.below(4) == 0) return;  // a rest
    // Semitones of equal temperament over five octaves: at 16 kHz from 55 Hz.
    double pitch = 55.0 / 16000;
    for (int64_t steps = random.below(60); steps > 0; --steps) pitch *= 1.0594630943592953;
    const double softness = 1 + 1.5 * random.uniform();
    while (harmonics_ < kMostHarmonics && pitch * static_cast<double>(harmonics_ + 1) < 0.45) {
      const auto number = static_cast<double>(harmonics_ + 1);
      partials_[harmonics_++].begin(pitch * number, (0.3 + 0.7 * random.uniform()) / (1 + softness * (number - 1)));
    }
    rise_ = 0, decayed_ = 1;
    decay_ = 1 - (1 + 6 * random.uniform()) / 16000;
  }

  std::array<Partial, kMostHarmonics> partials_;
  size_t harmonics_ = 0;
  int64_t left_ = 0;
  double rise_ = 0, decayed_ = 1, decay_ = 1;
};

}  // namespace

std::vector<float> music(int64_t samples, int64_t loudness, Random& random) {
  const auto number = static_cast<size_t>(loudness);
  const double peak = kPeaks[number % std::size(kPeaks)], hiss = kHiss[number / 2 % std::size(kHiss)];
  std::array<String, kStrings> strings;
  std::vector<float> out(static_cast<size_t>(samples));
  for (float& to : out) {
    double x = hiss * random.normal();
    for (String& string : strings) x += peak / 3 * string.next(random);
    to = static_cast<float>(std::clamp(std::floor(x * 32768 + 0.5), -32768.0, 32767.0) / 32768);
  }
  return out;
}

}  // namespace edgeconv
