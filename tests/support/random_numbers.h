// Random numbers from a seed, the same on every machine; needs no library, so that firmware tests have them too.
#pragma once

#include <cstdint>

namespace ert::testing {

class RandomNumbers {
 public:
  explicit RandomNumbers(const char* key) : state_(0xcbf29ce484222325ull) {
    for (; *key != 0; ++key) state_ = (state_ ^ static_cast<uint8_t>(*key)) * 0x100000001b3ull;
  }

  // SplitMix64.
  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  int integer(int lo, int hi) { return lo + static_cast<int>(bits() % static_cast<uint64_t>(hi - lo + 1)); }
  float uniform(float lo, float hi) { return lo + (hi - lo) * (static_cast<float>(bits() >> 40) * 0x1p-24f); }
  // Near enough to normal for test data: the sum of twelve uniform numbers.
  float normal() {
    float sum = -6.0f;
    for (int i = 0; i < 12; ++i) sum += uniform(0.0f, 1.0f);
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace ert::testing
