// The generator of made-up inputs: the same numbers on every host.
#pragma once

#include <cstdint>

namespace edgeconv {

// splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, full period, trivially portable.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
  float normal() {
    float s = 0;
    for (int i = 0; i < 12; ++i) s += uniform();
    return s - 6.0f;
  }

 private:
  uint64_t state_;
};

}  // namespace edgeconv
