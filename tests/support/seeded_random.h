// Random numbers whose seed is the name of the running test: reproducible, and different from test to test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ert::testing {

class SeededRandom {
 public:
  SeededRandom() : SeededRandom(test_name()) {}
  explicit SeededRandom(const std::string& key) : state_(0xcbf29ce484222325ull) {
    for (char c : key) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
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

  static std::string test_name() {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    return info == nullptr ? "" : std::string(info->test_suite_name()) + "." + info->name();
  }

 private:
  uint64_t state_;
};

}  // namespace ert::testing
