// Bit-for-bit comparison of fp32 results. Two NaNs count as equal: their sign and payload are not part of the contract.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace ert::testing {

inline uint32_t float_bits(float x) {
  uint32_t u;
  std::memcpy(&u, &x, sizeof(u));
  return u;
}

inline bool same_bits(float a, float b) { return float_bits(a) == float_bits(b) || (std::isnan(a) && std::isnan(b)); }

// Names the first element that differs.
inline ::testing::AssertionResult all_same_bits(size_t n, const float* want, const float* got) {
  for (size_t i = 0; i < n; ++i) {
    if (!same_bits(want[i], got[i])) {
      return ::testing::AssertionFailure() << "element " << i << " of " << n << ": want " << std::hexfloat << want[i] << ", got "
                                           << got[i] << std::defaultfloat << " (" << want[i] << ", " << got[i] << ")";
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace ert::testing
