// Exact floating-point remainder by shift and subtract, so that no C library decides a bit.
#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {
namespace {

constexpr uint32_t kHiddenBit = 1u << 23;

bool is_nan_or_zero(float v) { return v != v || (bits_of(v) & 0x7f800000u) == 0; }

}  // namespace

float exact_fmod(float x, float y) {
  const uint32_t sign = bits_of(x) & 0x80000000u;
  const int x_exponent = static_cast<int>(bits_of(x) >> 23 & 0xff), y_exponent = static_cast<int>(bits_of(y) >> 23 & 0xff);
  if (x != x || x_exponent == 0xff || is_nan_or_zero(y)) return float_of(0x7fc00000u);
  if (x_exponent == 0) return float_of(sign);
  if (y_exponent == 0xff || x_exponent < y_exponent) return x;
  uint32_t remainder = (bits_of(x) & 0x7fffffu) | kHiddenBit;
  const uint32_t divisor = (bits_of(y) & 0x7fffffu) | kHiddenBit;
  for (int e = x_exponent;; --e) {
    if (remainder >= divisor) remainder -= divisor;
    if (e == y_exponent) break;
    remainder <<= 1;
  }
  if (remainder == 0) return float_of(sign);
  int exponent = y_exponent;
  while (!(remainder & kHiddenBit)) {
    remainder <<= 1;
    --exponent;
  }
  if (exponent <= 0) return float_of(sign);
  return float_of(sign | static_cast<uint32_t>(exponent) << 23 | (remainder & 0x7fffffu));
}

float floor_fmod(float x, float y) {
  const float r = exact_fmod(x, y);
  if (r == 0.0f) return with_sign(0.0f, y);
  return (r < 0.0f) != (y < 0.0f) ? plus(r, y) : r;
}

}  // namespace ert::ops
