// log of fp32 in double, as ref/elementary64.h has it, some values at a time: the same IEEE operations in the same order. In vectors of the compiler, because
// lanes16_<isa>.h has no doubles. Set kDoubles, those of a register, first. Internal linkage.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/ref/elementary64.h"

namespace ert::kernels {
namespace {

typedef double Doubles __attribute__((vector_size(8 * kDoubles)));
typedef uint64_t Bits64 __attribute__((vector_size(8 * kDoubles)));
typedef float Floats __attribute__((vector_size(4 * kDoubles)));
typedef uint32_t Bits32 __attribute__((vector_size(4 * kDoubles)));

inline __attribute__((always_inline)) Floats log64(Floats x) {
  const Bits64 u = reinterpret_cast<Bits64>(__builtin_convertvector(x, Doubles));
  // An exponent below 2^52 in the bits of 2^52: as a double without a conversion.
  Doubles exponent = reinterpret_cast<Doubles>((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const Doubles one = Doubles{} + 1.0;
  Doubles m = reinterpret_cast<Doubles>((u & 0xfffffffffffffu) | reinterpret_cast<Bits64>(one));
  const Bits64 above = reinterpret_cast<Bits64>(m > Doubles{} + kSqrt2);
  m = reinterpret_cast<Doubles>((reinterpret_cast<Bits64>(m) & ~above) | (reinterpret_cast<Bits64>(m * 0.5) & above));
  exponent = exponent + reinterpret_cast<Doubles>(reinterpret_cast<Bits64>(one) & above);
  const Doubles s = (m - 1.0) / (m + 1.0), t = s * s;
  Doubles p = Doubles{} + 1.0 / 21.0;
#pragma GCC unroll 16
  for (const double c : kAtanhSeries) p = p * t + c;
  const Doubles of_normal = exponent * kLn2 + (2.0 * s + 2.0 * s * (t * p));
  const Bits32 zero = reinterpret_cast<Bits32>(x == 0.0f), positive = reinterpret_cast<Bits32>(x > 0.0f),
               infinite = reinterpret_cast<Bits32>(x > kLargestFloat);
  Bits32 y = reinterpret_cast<Bits32>(__builtin_convertvector(of_normal, Floats));
  y = (y & ~infinite) | (reinterpret_cast<Bits32>(x) & infinite);
  y = (y & positive) | (~positive & 0x7fc00000u);
  return reinterpret_cast<Floats>((y & ~zero) | (zero & 0xff800000u));
}

// Two vectors at a time hide each other's latency.
inline void log64_of_all(size_t n, const float* src, float* dst) {
  size_t i = 0;
  for (; i + 2 * kDoubles <= n; i += 2 * kDoubles) {
    Floats x[2];
    memcpy(x, src + i, sizeof x);
    x[0] = log64(x[0]), x[1] = log64(x[1]);
    memcpy(dst + i, x, sizeof x);
  }
  for (; i < n; i += kDoubles) {
    const size_t bytes = (n - i < kDoubles ? n - i : kDoubles) * sizeof(float);
    Floats x = {};
    memcpy(&x, src + i, bytes);
    x = log64(x);
    memcpy(dst + i, &x, bytes);
  }
}

}  // namespace
}  // namespace ert::kernels
