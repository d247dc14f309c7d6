// F32: the arithmetic type of the reference. Where the FPU has a flush-to-zero mode it is float, and the caller has entered that
// mode. Elsewhere (soft float, RISC-V) it is a class that flushes every operand and result: the same source gives the same bits.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/math_constants.h"

#if !defined(ERT_FLUSH_IN_SOFTWARE)
#if defined(__x86_64__) || defined(__SSE__) || defined(__aarch64__) || (defined(__arm__) && defined(__ARM_FP))
#define ERT_FLUSH_IN_SOFTWARE 0
#else
#define ERT_FLUSH_IN_SOFTWARE 1
#endif
#endif

namespace ert::kernels {
namespace {

#if __has_builtin(__builtin_bit_cast)
#define ERT_CONSTEXPR_BITS constexpr
ERT_CONSTEXPR_BITS uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
ERT_CONSTEXPR_BITS float float_of(uint32_t u) { return __builtin_bit_cast(float, u); }
#else  // GCC 10
#define ERT_CONSTEXPR_BITS inline
ERT_CONSTEXPR_BITS uint32_t bits_of(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
ERT_CONSTEXPR_BITS float float_of(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
#endif

// Subnormals to zero of the same sign. By bits: where floats are software, a comparison is a call.
ERT_CONSTEXPR_BITS float flushed(float x) {
  const uint32_t u = bits_of(x);
  return (u & 0x7f800000u) == 0 ? float_of(u & 0x80000000u) : x;
}

#if ERT_FLUSH_IN_SOFTWARE
class F32 {
 public:
  F32() = default;
  __attribute__((always_inline)) ERT_CONSTEXPR_BITS F32(float x) : value_(flushed(x)) {}  // NOLINT: converts like float
  explicit operator float() const { return value_; }
  friend F32 operator+(F32 a, F32 b) { return F32(a.value_ + b.value_); }
  friend F32 operator-(F32 a, F32 b) { return F32(a.value_ - b.value_); }
  friend F32 operator*(F32 a, F32 b) { return F32(a.value_ * b.value_); }
  friend F32 operator/(F32 a, F32 b) { return F32(a.value_ / b.value_); }
  friend F32 operator-(F32 a) { return F32(-a.value_); }
  friend bool operator<(F32 a, F32 b) { return a.value_ < b.value_; }
  friend bool operator>(F32 a, F32 b) { return a.value_ > b.value_; }
  friend bool operator<=(F32 a, F32 b) { return a.value_ <= b.value_; }
  friend bool operator>=(F32 a, F32 b) { return a.value_ >= b.value_; }
  friend bool operator==(F32 a, F32 b) { return a.value_ == b.value_; }

 private:
  float value_;
};
#else
using F32 = float;
#endif

inline float to_float(F32 x) { return static_cast<float>(x); }
inline F32 absolute(F32 x) { return float_of(bits_of(to_float(x)) & 0x7fffffffu); }
// Compare and select: b wins when the two are equal or either is NaN (x86 maxps and minps).
inline F32 larger(F32 a, F32 b) { return a > b ? a : b; }
inline F32 smaller(F32 a, F32 b) { return a < b ? a : b; }

// Nearest integer, ties to even, |x| < 2^22.
inline int32_t round_to_int(F32 x) {
  return static_cast<int32_t>(bits_of(to_float(x + F32(kRoundMagic))) - bits_of(kRoundMagic));
}

template <int n>
inline F32 horner(const float (&c)[n], F32 x) {
  F32 y = c[n - 1];
  for (int i = n - 2; i >= 0; --i) y = y * x + F32(c[i]);
  return y;
}

// The 16 canonical lanes: lane i holds the sum of elements i mod 16, in order; then the tree 8, 4, 2, 1.
struct LaneSum {
  F32 lane[kLanes] = {};
  void add(size_t i, F32 x) { lane[i % kLanes] = lane[i % kLanes] + x; }
  F32 total() const {
    F32 s[kLanes];
    for (int i = 0; i < kLanes; ++i) s[i] = lane[i];
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) s[i] = s[i] + s[i + half];
    }
    return s[0];
  }
};

}  // namespace
}  // namespace ert::kernels
