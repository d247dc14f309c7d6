// Argument reduction and polynomials of sin and cos in double (NUMERICS.md 4). Rarely computed, hence scalar on every level.
#include "kernels_int8/ref/trigonometry.h"

#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

constexpr uint32_t kFourOverPi[24] = {
#include "kernels_int8/ref/two_over_pi.inc"
};

// Below this, n*kPio2Hi is exact (kPio2Hi has 33 bits, n below 2^20).
constexpr float kSmall = 0x1p20f;
constexpr double kPio2Hi = 0x1.921fb544p+0;
constexpr double kPio2Lo = 0x1.0b4611a626331p-34;

// x = quadrant * pi/2 + result, |result| <= pi/4.
double reduce_small(double x, uint32_t* quadrant) {
  const double magic = 0x1.8p52;
  const double n = (x * 0x1.45f306dc9c883p-1 + magic) - magic;
  *quadrant = static_cast<uint32_t>(static_cast<int32_t>(n));
  return (x - n * kPio2Hi) - n * kPio2Lo;
}

// Payne and Hanek: the product of the 24-bit significand with the 96 bits of 4/pi that matter, as a 2.62 fixed-point number
// of quarter turns. x > 0.
double reduce_large(float x, uint32_t* quadrant) {
  const uint32_t u = bits_of(x);
  const uint32_t* digits = &kFourOverPi[(u >> 26) & 15];
  const uint32_t significand = ((u & 0xffffffu) | 0x800000u) << ((u >> 23) & 7);
  const uint64_t low = static_cast<uint64_t>(significand) * digits[8];
  const uint64_t middle = static_cast<uint64_t>(significand) * digits[4];
  const uint64_t high = static_cast<uint32_t>(significand * digits[0]);
  const uint64_t turns = ((high << 32) | (low >> 32)) + middle;
  const uint64_t n = (turns + (1ull << 61)) >> 62;
  *quadrant = static_cast<uint32_t>(n);
  return static_cast<double>(static_cast<int64_t>(turns - (n << 62))) * 0x1.921fb54442d18p-62;
}

// Taylor to x^15 and x^14 on |r| <= pi/4: below 1e-15.
double sin_polynomial(double r) {
  const double s = r * r;
  double p = -1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  return r + r * (s * p);
}

double cos_polynomial(double r) {
  const double s = r * r;
  double p = -1.0 / 87178291200.0;
  p = p * s + 1.0 / 479001600.0;
  p = p * s - 1.0 / 3628800.0;
  p = p * s + 1.0 / 40320.0;
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  p = p * s - 0.5;
  return 1.0 + s * p;
}

// sin(x + shift * pi/2)
float shifted_sin(float x, uint32_t shift) {
  const float a = to_float(absolute(x));
  if (!(a < __builtin_inff())) return float_of(0x7fc00000u);  // inf and NaN
  uint32_t quadrant;
  double r = a < kSmall ? reduce_small(a, &quadrant) : reduce_large(a, &quadrant);
  if (x < 0.0f) {
    r = -r;
    quadrant = 0u - quadrant;
  }
  quadrant += shift;
  const double y = (quadrant & 1) != 0 ? cos_polynomial(r) : sin_polynomial(r);
  return flushed(static_cast<float>((quadrant & 2) != 0 ? -y : y));
}

}  // namespace

float canonical_sin(float x) {
  const float y = flushed(x);
  return y == 0.0f ? y : shifted_sin(y, 0);
}
float canonical_cos(float x) { return shifted_sin(flushed(x), 1); }

}  // namespace ert::kernels
