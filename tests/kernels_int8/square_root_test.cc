// The square root for targets without an FPU against the host's instruction.
#include "kernels_int8/ref/square_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace ert::kernels {
namespace {

float from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Every mantissa for an even and an odd exponent: the others only move the result's exponent.
TEST(SquareRootTest, EveryMantissaIsCorrectlyRounded) {
  for (uint32_t bits = 0x3F000000u; bits < 0x40000000u; ++bits) {
    const float x = from_bits(bits);
    ASSERT_EQ(square_root_in_software(x), std::sqrt(x)) << x;
  }
}

TEST(SquareRootTest, EveryExponentIsHalved) {
  for (uint32_t exponent = 1; exponent < 255; ++exponent) {
    for (const uint32_t mantissa : {0u, 1u, 0x123456u, 0x7FFFFFu}) {
      const float x = from_bits(exponent << 23 | mantissa);
      ASSERT_EQ(square_root_in_software(x), std::sqrt(x)) << x;
    }
  }
}

TEST(SquareRootTest, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(square_root_in_software(infinity), infinity);
  EXPECT_TRUE(std::isnan(square_root_in_software(-infinity)));
  EXPECT_TRUE(std::isnan(square_root_in_software(-1.0f)));
  EXPECT_TRUE(std::isnan(square_root_in_software(std::nanf(""))));
  EXPECT_TRUE(std::signbit(square_root_in_software(-0.0f)));
  EXPECT_EQ(square_root_in_software(1e-40f), 0.0f) << "subnormals are zero";
}

}  // namespace
}  // namespace ert::kernels
