// The canonical pow: exact forms for the exponents that models use, otherwise exp(y * log|x|) in double, rounded once.
#include "kernels_int8/ref/scalar_pow.h"

#include "kernels_int8/ref/elementary64.h"
#include "kernels_int8/ref/square_root.h"

namespace ert::kernels {
namespace {

constexpr float kInfinity = __builtin_inff();

// From 2^24 on every float is an even integer.
bool below_2_24(float y) { return to_float(absolute(F32(y))) < 0x1p24f; }
bool is_integer(float y) { return !below_2_24(y) || static_cast<float>(static_cast<int32_t>(y)) == y; }
bool is_odd(float y) { return below_2_24(y) && is_integer(y) && (static_cast<int32_t>(y) & 1) != 0; }

// x = 0 or +-inf: size is 0 or inf, negative for an odd exponent of a negative x.
float pow_of_extreme(float x, float y) {
  const bool zero_result = (x == 0.0f) == (y > 0.0f);
  const bool negative = (bits_of(x) & 0x80000000u) != 0 && is_odd(y);
  const float size = zero_result ? 0.0f : kInfinity;
  return negative ? -size : size;
}

float pow_of_infinite_exponent(float x, float y) {
  const float a = to_float(absolute(F32(x)));
  if (a == 1.0f) return 1.0f;
  return (a > 1.0f) == (y > 0.0f) ? kInfinity : 0.0f;
}

}  // namespace

float scalar_pow(float base, float exponent) {
  const float x = flushed(base);
  const float y = flushed(exponent);
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return float_of(0x7fc00000u);
  if (y == 1.0f) return x;
  if (y == 2.0f) return to_float(F32(x) * F32(x));
  if (y == 3.0f) return to_float((F32(x) * F32(x)) * F32(x));
  if (y == -1.0f) return to_float(F32(1.0f) / F32(x));
  const float size = to_float(absolute(F32(x)));
  if (to_float(absolute(F32(y))) == kInfinity) return pow_of_infinite_exponent(x, y);
  if (size == 0.0f || size == kInfinity) return pow_of_extreme(x, y);
  if (x < 0.0f && !is_integer(y)) return float_of(0x7fc00000u);
  if (y == 0.5f) return to_float(F32(square_root(x)));
  if (y == -0.5f) return to_float(F32(1.0f) / F32(square_root(x)));
  const double power = static_cast<double>(y) * log64(size);
  const double clamped = power > 200.0 ? 200.0 : power < -200.0 ? -200.0 : power;
  const float result = flushed(static_cast<float>(exp64(clamped)));
  return x < 0.0f && is_odd(y) ? -result : result;
}

}  // namespace ert::kernels
