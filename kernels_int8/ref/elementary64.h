// log and exp in double for what is rarely computed (log, softplus, pow): plain IEEE double arithmetic without contraction
// gives the same bits on every machine, in software too, and the float result is within 0.51 ulp.
#pragma once

#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1, kSqrt2 = 0x1.6a09e667f3bcdp+0;
// atanh(s) = s (1 + s^2/3 + s^4/5 + ...): the factors below that of s^20, which is 1/21.
constexpr double kAtanhSeries[] = {1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0};

// log(x), x a positive normal float or double with exponent in the float range.
inline double log64(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof(u));
  int exponent = static_cast<int>(u >> 52) - 1023;
  u = (u & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  memcpy(&m, &u, sizeof(m));
  if (m > kSqrt2) {  // m in [sqrt(1/2), sqrt(2)]
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...), |s| <= 0.172
  const double s = (m - 1.0) / (m + 1.0);
  const double t = s * s;
  double p = 1.0 / 21.0;
  for (const double c : kAtanhSeries) p = p * t + c;
  return exponent * kLn2 + (2.0 * s + 2.0 * s * (t * p));
}

// exp(x), |x| < 700. Taylor to degree 13 on |r| <= ln2/2.
inline double exp64(double x) {
  const double magic = 0x1.8p52;
  const double n = (x * 0x1.71547652b82fep+0 + magic) - magic;
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  double p = 1.0;
  for (int i = 13; i > 0; --i) p = p * r / i + 1.0;
  const uint64_t u = static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52;
  double scale;
  memcpy(&scale, &u, sizeof(scale));
  return p * scale;
}

inline F32 log(F32 x) {
  if (x == F32(0.0f)) return float_of(0xff800000u);
  if (!(x > F32(0.0f))) return float_of(0x7fc00000u);
  if (x > F32(0x1.fffffep+127f)) return x;
  return static_cast<float>(log64(to_float(x)));
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)); below 2^-20, log1p(e) = e - e^2/2.
inline F32 softplus(F32 x) {
  const double a = to_float(absolute(x));
  if (!(a < 100.0)) return x > F32(0.0f) ? x : x < F32(0.0f) ? F32(0.0f) : x;
  const double e = exp64(-a);
  const double tail = e < 0x1p-20 ? e - e * e * 0.5 : log64(1.0 + e);
  return flushed(static_cast<float>((x > F32(0.0f) ? a : 0.0) + tail));
}

}  // namespace
}  // namespace ert::kernels
