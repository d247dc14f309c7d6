// The correctly rounded square root. Every FPU has it as one instruction; in software it would be the C library's, which a runtime
// without one does not link, so it is done in integers.
#pragma once

#include <stdint.h>
#include <string.h>

namespace ert::kernels {

// Normal x only; the caller's arithmetic has no subnormals.
inline float square_root_of_normal(uint32_t bits) {
  int32_t exponent = static_cast<int32_t>(bits >> 23) - 127;
  uint64_t mantissa = (bits & 0x7FFFFFu) | 0x800000u;
  if ((exponent & 1) != 0) {
    mantissa <<= 1;
    exponent -= 1;
  }
  // 25 bits of the root: 24 and one to round with. It is never exactly half way, since the square of an odd root is odd.
  uint64_t rest = mantissa << 25, root = 0;
  for (uint64_t bit = uint64_t{1} << 48; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  const uint32_t rounded = (static_cast<uint32_t>(root) + 1) >> 1;
  const uint32_t out = (static_cast<uint32_t>(exponent / 2 + 127) << 23) + (rounded - 0x800000u);
  float y;
  memcpy(&y, &out, sizeof y);
  return y;
}

inline float square_root_in_software(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7FFFFFFFu) < 0x800000u) return (bits >> 31) != 0 ? -0.0f : 0.0f;  // zero, and subnormals count as zero
  if (bits == 0x7F800000u || x != x) return x;
  if ((bits >> 31) != 0) return __builtin_nanf("");
  return square_root_of_normal(bits);
}

inline float square_root(float x) {
#if defined(__arm__) && !defined(__ARM_FP)
  return square_root_in_software(x);
#else
  return __builtin_sqrtf(x);
#endif
}

}  // namespace ert::kernels
