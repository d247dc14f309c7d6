// The order in which ArgMinMax and TopK rank values: NaN above everything, +0 equal to -0 and to subnormals
// (NUMERICS.md, rule 2). A rank is an integer, so that a value costs one conversion and each comparison one instruction, on
// devices without an FPU too.
#pragma once

#include <stdint.h>
#include <string.h>

namespace ert::ops {

// Larger for a value that ranks higher, equal for values that rank alike.
inline int32_t rank_of(int32_t value) { return value; }
inline int32_t rank_of(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  // Signs of data are random: no branch, which would be guessed wrong half the time.
  const int32_t magnitude = bits & 0x7fffffff, sign = bits >> 31;
  const int32_t normal = magnitude >= 0x00800000 ? (magnitude ^ sign) - sign : 0;
  return magnitude > 0x7f800000 ? 0x7fffffff : normal;  // every NaN, whatever its sign and payload
}

// The rank as a number without sign that is larger the earlier a value comes.
template <class T>
uint32_t precedence_of(T value, bool largest) {
  const uint32_t rank = static_cast<uint32_t>(rank_of(value)) ^ 0x80000000u;
  return largest ? rank : ~rank;
}

}  // namespace ert::ops
