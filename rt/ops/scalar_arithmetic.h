// Arithmetic on single values with every case defined: i32 wraps, i32 division by zero gives 0, float to int saturates,
// min and max pass NaN on. Exact in fp32, so vectorising compilers cannot change a bit.
#pragma once

#include <stdint.h>

#include "kernels_int8/ref/float32.h"

namespace ert::ops {

using kernels::bits_of;
using kernels::float_of;

// Every fp32 operation of the ops goes through these (NUMERICS.md, rule 2): subnormals are zero in arithmetic and in comparisons. An
// FPU in flush-to-zero mode sees to that, and F32 is float; elsewhere F32 flushes. A value that is only passed on keeps its bits.
using kernels::F32;
using kernels::to_float;
inline float plus(float a, float b) { return to_float(F32(a) + F32(b)); }
inline float minus(float a, float b) { return to_float(F32(a) - F32(b)); }
inline float times(float a, float b) { return to_float(F32(a) * F32(b)); }
inline float over(float a, float b) { return to_float(F32(a) / F32(b)); }
inline bool equal(float a, float b) { return F32(a) == F32(b); }
inline bool less(float a, float b) { return F32(a) < F32(b); }
inline bool less_or_equal(float a, float b) { return F32(a) <= F32(b); }
inline bool equal(int32_t a, int32_t b) { return a == b; }
inline bool less(int32_t a, int32_t b) { return a < b; }
inline bool less_or_equal(int32_t a, int32_t b) { return a <= b; }
inline bool is_nan(float v) { return v != v; }

inline int32_t wrap_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
inline int32_t wrap_sub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
inline int32_t wrap_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// Truncates toward zero; x / 0 = 0; INT32_MIN / -1 wraps to INT32_MIN.
inline int32_t safe_div(int32_t a, int32_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap_sub(0, a);
  return a / b;
}
// Sign of the dividend, as C's %; x % 0 = 0.
inline int32_t safe_rem(int32_t a, int32_t b) { return b == 0 || b == -1 ? 0 : a % b; }
// Sign of the divisor, as Python's %; x % 0 = 0.
inline int32_t floor_mod(int32_t a, int32_t b) {
  const int32_t r = safe_rem(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// Wrapping power; a negative exponent gives the truncated reciprocal, 0 for base 0.
inline int32_t wrap_pow(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  }
  int32_t result = 1;
  for (uint32_t e = static_cast<uint32_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result = wrap_mul(result, base);
    base = wrap_mul(base, base);
  }
  return result;
}

inline int32_t saturate_i32(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : static_cast<int32_t>(v); }
// Truncates; out of range saturates; NaN gives 0.
inline int32_t float_to_i32(float v) {
  if (!(v > -2147483648.0f)) return v != v ? 0 : INT32_MIN;
  return v >= 2147483648.0f ? INT32_MAX : static_cast<int32_t>(v);
}

// NaN wins; of equal values (+0, -0) the second.
// By bits, so that no compiler takes an instruction for the larger of two: it would make zeros of subnormals.
inline float choose(bool first, bool also_first, float a, float b) {
  const uint32_t take = 0u - (static_cast<uint32_t>(first) | static_cast<uint32_t>(also_first));
  return float_of((bits_of(a) & take) | (bits_of(b) & ~take));
}
#if defined(__clang__)
// clang 14 sees through the bits where floats are compared, and takes that instruction after all.
inline int32_t order_of(float v) {
  const uint32_t magnitude = bits_of(v) & 0x7fffffffu;
  const int32_t normal = magnitude < 0x00800000u ? 0 : static_cast<int32_t>(magnitude);
  return bits_of(v) >> 31 ? -normal : normal;
}
inline bool precedes(float a, float b) { return order_of(a) < order_of(b) && !is_nan(a) && !is_nan(b); }
#else
inline bool precedes(float a, float b) { return less(a, b); }
#endif
inline float max_of(float a, float b) { return choose(precedes(b, a), is_nan(a), a, b); }
inline float min_of(float a, float b) { return choose(precedes(a, b), is_nan(a), a, b); }
inline int32_t max_of(int32_t a, int32_t b) { return a > b ? a : b; }
inline int32_t min_of(int32_t a, int32_t b) { return a < b ? a : b; }

inline float abs_of(float v) { return float_of(bits_of(v) & 0x7fffffffu); }
// slope * v below zero, else v. By bits, of which compilers make vectors: a comparison of floats may trap. Negative subnormals are zero,
// and a NaN is one either way. Not slope * v as such: clang makes (slope or 1) * v of the choice between that and v, which flushes subnormals.
inline float leaky(float v, float slope) {
  const uint32_t below_zero = 0u - static_cast<uint32_t>(bits_of(v) > 0x807fffffu);
  return float_of((bits_of(times(-slope, abs_of(v))) & below_zero) | (bits_of(v) & ~below_zero));
}
inline float with_sign(float magnitude, float sign) {
  return float_of((bits_of(magnitude) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}

// To the nearest integer, ties to even; keeps the sign of zero. Relies on the default rounding mode, which ert_run sets.
inline float round_even(float v) {
  const float a = abs_of(v);
  if (!(a < 8388608.0f)) return v;  // already an integer, or NaN
  const float shifted = a + 8388608.0f;
  return with_sign(shifted - 8388608.0f, v);
}
inline float floor_of(float v) {
  const float r = round_even(v);
  return with_sign(less(v, r) ? r - 1.0f : r, v);
}
inline float ceil_of(float v) {
  const float r = round_even(v);
  return with_sign(less(r, v) ? r + 1.0f : r, v);
}

// Exact remainder with the dividend's sign, as C's fmod; NaN for x = inf or y = 0. Subnormals count as zero.
float exact_fmod(float x, float y);
// The same with the divisor's sign: x - floor(x / y) * y before rounding.
float floor_fmod(float x, float y);

}  // namespace ert::ops
