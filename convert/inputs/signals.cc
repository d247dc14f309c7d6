// See signals.h.
#include "convert/inputs/signals.h"

#include <algorithm>
#include <cmath>

#include "convert/inputs/music.h"
#include "convert/inputs/polynomial_waves.h"

namespace edgeconv {

namespace {

// Two poles at a frequency in cycles per sample.
struct Resonator {
  double a1 = 0, a2 = 0, gain = 0, y1 = 0, y2 = 0;
  void tune(double frequency, double radius) {
    a1 = 2 * radius * polynomial_cosine(2 * kPi * frequency);
    a2 = radius * radius;
    gain = 1 - radius;
  }
  double step(double x) {
    const double y = gain * x + a1 * y1 - a2 * y2;
    y2 = y1;
    y1 = y;
    return y;
  }
};

enum class Segment { kVoiced, kUnvoiced, kTone, kBurst, kPause };

constexpr double kLevels[] = {0.7, 0.09, 0.3, 0.012, 0.5, 0.03};  // peaks, about; whispers are as common as shouts
constexpr double kNoises[] = {0, 1e-4, 1e-3, 2e-5, 8e-3, 0};      // of the background; 0: digital silence
constexpr double kFormants[][3] = {{.045, .075, .16}, {.019, .125, .18}, {.03, .055, .15}, {.025, .11, .155}, {.036, .09, .155}};
constexpr int64_t kKindsOfStreams = 3;           // the last of them is music
constexpr int kShortest = 640, kLongest = 2400;  // samples of a segment: 40 to 150 ms

class Voice {
 public:
  Voice(int64_t loudness, Random& random) : random_(random), loudness_(loudness) {
    pitch_ = 0.0055 + 0.009 * random_.uniform();
    choose_level();
    begin(loudness % 2 ? Segment::kUnvoiced : Segment::kVoiced);
    at_ = static_cast<int>(random_.below(length_ / 2));
  }

  double next() {
    if (at_ >= length_) begin(following());
    const double x = source() * envelope() * level_;
    ++at_;
    // Noise through one pole: more of it in low frequencies.
    floor_ = 0.7 * floor_ + 0.5 * random_.normal();
    return x + noise_ * floor_;
  }

 private:
  void choose_level() {
    const auto i = static_cast<size_t>(loudness_);
    level_ = kLevels[i % std::size(kLevels)];
    noise_ = kNoises[(i + i / std::size(kLevels)) % std::size(kNoises)];
  }
  Segment following() {
    // Of sixteen: vowels are most of speech.
    constexpr Segment kUsual[] = {Segment::kVoiced,   Segment::kVoiced,   Segment::kVoiced,   Segment::kVoiced,
                                  Segment::kVoiced,   Segment::kVoiced,   Segment::kVoiced,   Segment::kUnvoiced,
                                  Segment::kUnvoiced, Segment::kUnvoiced, Segment::kUnvoiced, Segment::kPause,
                                  Segment::kPause,    Segment::kPause,    Segment::kBurst,    Segment::kTone};
    return kUsual[random_.below(std::size(kUsual))];
  }
  void begin(Segment s) {
    segment_ = s;
    at_ = 0;
    length_ = kShortest + static_cast<int>(random_.below(kLongest - kShortest));
    if (s == Segment::kPause && random_.below(2)) ++loudness_, choose_level();
    const double* formants = kFormants[random_.below(std::size(kFormants))];
    for (size_t i = 0; i < 3; ++i) {
      const double frequency = formants[i] * (0.9 + 0.2 * random_.uniform());
      // Hissing has one broad peak, high up.
      tract_[i].tune(s == Segment::kUnvoiced ? 0.12 + 0.1 * static_cast<double>(i) : frequency,
                     s == Segment::kUnvoiced ? 0.6 : 0.985 - 0.006 * static_cast<double>(i));
    }
    drift_ = 1 + 1e-5 * (random_.uniform() * 8 - 4);
    tone_ = 0.01 + 0.2 * random_.uniform();
    phase_ = 0;
  }
  double source() {
    switch (segment_) {
      case Segment::kPause: return 0;
      case Segment::kBurst: return 0.8 * random_.normal();
      case Segment::kTone: {
        // Two parabolas are nearly a sine.
        phase_ += tone_;
        phase_ -= std::floor(phase_);
        const double p = 2 * phase_ - 1;
        return 1.6 * p * (1 - std::fabs(p));
      }
      case Segment::kUnvoiced: {
        const double white = random_.normal(), high = white - 0.7 * last_;
        last_ = white;
        double y = 0;
        for (Resonator& r : tract_) y += r.step(high);
        return 0.35 * y;
      }
      case Segment::kVoiced: {
        pitch_ *= drift_;
        phase_ += pitch_;
        double pulse = 0.01 * random_.normal();
        if (phase_ >= 1) phase_ -= 1, pulse += 1;
        glottis_ = 0.9 * glottis_ + pulse;
        double y = glottis_;
        double sum = 0;
        for (Resonator& r : tract_) sum += r.step(y);
        return 3.5 * sum;
      }
    }
    return 0;
  }
  double envelope() const {
    if (segment_ == Segment::kBurst) {
      const double left = 1 - static_cast<double>(at_) / length_;
      return left * left * left * left;
    }
    const double rise = at_ / 160.0, fall = (length_ - at_) / 320.0;
    return std::min({1.0, rise, fall});
  }

  Random& random_;
  int64_t loudness_;
  Segment segment_ = Segment::kPause;
  int at_ = 0, length_ = 1;
  double level_ = 0, noise_ = 0, floor_ = 0, pitch_ = 0, drift_ = 1, tone_ = 0, phase_ = 0, glottis_ = 0, last_ = 0;
  Resonator tract_[3];
};

}  // namespace

std::vector<float> sound(int64_t samples, int64_t loudness, Random& random) {
  if (loudness % kKindsOfStreams == kKindsOfStreams - 1) return music(samples, loudness / kKindsOfStreams, random);
  Voice voice(loudness, random);
  std::vector<float> out(static_cast<size_t>(samples));
  for (float& x : out) x = static_cast<float>(std::clamp(std::floor(voice.next() * 32768 + 0.5), -32768.0, 32767.0) / 32768);
  return out;
}

std::vector<float> log_spectrum(int64_t frames, int64_t bins, Random& random) {
  const auto n = static_cast<size_t>(bins);
  std::vector<float> out;
  out.reserve(n * static_cast<size_t>(frames));
  std::vector<float> shape(n), ripple(n);
  const float quietest = -1.2f - random.uniform(), loudest = 1.5f + random.uniform();
  float level = quietest, aim = loudest;
  int64_t left = 0;
  for (int64_t t = 0; t < frames; ++t) {
    if (left-- <= 0) {
      // A new sound: some peaks over a slope, or nothing.
      left = 3 + random.below(14);
      aim = random.below(4) ? quietest + (loudest - quietest) * (0.3f + 0.7f * random.uniform()) : quietest;
      const float slope = (random.below(4) ? -1.4f : 1.0f) * random.uniform();
      const int64_t period = 3 + random.below(8), peaks = 1 + random.below(4);
      for (size_t f = 0; f < n; ++f) {
        shape[f] = slope * (static_cast<float>(f) / static_cast<float>(n) - 0.5f);
        // Harmonics stand out in the lower bands.
        if (f < n / 3) shape[f] += static_cast<int64_t>(f) % period == 0 ? 0.5f : -0.2f;
      }
      for (int64_t p = 0; p < peaks; ++p) {
        const auto centre = static_cast<float>(random.below(bins));
        const float width = static_cast<float>(n) * (0.03f + 0.1f * random.uniform());
        for (size_t f = 0; f < n; ++f) {
          const float d = (static_cast<float>(f) - centre) / width;
          shape[f] += 1.2f / (1 + d * d);
        }
      }
    }
    level += 0.5f * (aim - level);
    for (size_t f = 0; f < n; ++f) {
      ripple[f] = 0.5f * ripple[f] + 0.15f * random.normal();
      const float heard = level + shape[f] * std::max(0.0f, (level - quietest) / (loudest - quietest));
      out.push_back(std::max(heard, quietest) + ripple[f]);
    }
  }
  return out;
}

}  // namespace edgeconv
