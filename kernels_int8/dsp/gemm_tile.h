// The integer inner loop of M4, M7 and M33: sxtb16 makes int16 pairs of four weights, smlad multiplies two pairs and adds. Two rows
// x two columns: what the core registers hold. Internal linkage.
#pragma once

#ifndef __ARM_FEATURE_SIMD32
#error "build for a core with the DSP extension"
#endif

#include <string.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// sums[c] += four k of one row. Rows and weights are 4-byte aligned. rhs is four k of one column; the other column is kStride behind.
template <int kOffset, int kRhs, int kStride>
inline __attribute__((always_inline)) void step(int32_t (&sums)[1][2], const uint8_t* const (&row)[1], const int8_t* rhs) {
  int32_t first, second, pair, lhs;
  __asm__(
      "ldr %[first], [%[rhs], %[at]]\n\tldr %[second], [%[rhs], %[next]]\n\tldr %[lhs], [%[row], %[even]]\n\t"
      "sxtb16 %[pair], %[first]\n\tsmlad %[a], %[lhs], %[pair], %[a]\n\t"
      "sxtb16 %[pair], %[second]\n\tsmlad %[b], %[lhs], %[pair], %[b]\n\t"
      "ldr %[lhs], [%[row], %[odd]]\n\t"
      "sxtb16 %[first], %[first], ror #8\n\tsmlad %[a], %[lhs], %[first], %[a]\n\t"
      "sxtb16 %[second], %[second], ror #8\n\tsmlad %[b], %[lhs], %[second], %[b]"
      : [a] "+r"(sums[0][0]), [b] "+r"(sums[0][1]), [first] "=&r"(first), [second] "=&r"(second), [pair] "=&r"(pair),
        [lhs] "=&r"(lhs)
      : [row] "r"(row[0]), [rhs] "r"(rhs), [at] "i"(kRhs), [next] "i"(kRhs + kStride), [even] "i"(kOffset), [odd] "i"(kOffset + 4)
      : "memory");
}

// The same for two rows, whose words stay in registers for both columns. As asm because GCC 12 spills the sums.
template <int kOffset, int kRhs, int kStride>
inline __attribute__((always_inline)) void step(int32_t (&sums)[2][2], const uint8_t* const (&row)[2], const int8_t* rhs) {
  int32_t first, second, pair, top, bottom;
  __asm__(
      "ldr %[first], [%[rhs], %[at]]\n\tldr %[second], [%[rhs], %[next]]\n\t"
      "ldr %[top], [%[row0], %[even]]\n\tldr %[bottom], [%[row1], %[even]]\n\t"
      "sxtb16 %[pair], %[first]\n\tsmlad %[a], %[top], %[pair], %[a]\n\tsmlad %[c], %[bottom], %[pair], %[c]\n\t"
      "sxtb16 %[pair], %[second]\n\tsmlad %[b], %[top], %[pair], %[b]\n\tsmlad %[d], %[bottom], %[pair], %[d]\n\t"
      "ldr %[top], [%[row0], %[odd]]\n\tldr %[bottom], [%[row1], %[odd]]\n\t"
      "sxtb16 %[first], %[first], ror #8\n\tsmlad %[a], %[top], %[first], %[a]\n\tsmlad %[c], %[bottom], %[first], %[c]\n\t"
      "sxtb16 %[second], %[second], ror #8\n\tsmlad %[b], %[top], %[second], %[b]\n\tsmlad %[d], %[bottom], %[second], %[d]"
      : [a] "+r"(sums[0][0]), [b] "+r"(sums[0][1]), [c] "+r"(sums[1][0]), [d] "+r"(sums[1][1]), [first] "=&r"(first),
        [second] "=&r"(second), [pair] "=&r"(pair), [top] "=&r"(top), [bottom] "=&r"(bottom)
      : [row0] "r"(row[0]), [row1] "r"(row[1]), [rhs] "r"(rhs), [at] "i"(kRhs), [next] "i"(kRhs + kStride), [even] "i"(kOffset),
        [odd] "i"(kOffset + 4)
      : "memory");
}

// Rows are row_bytes apart; k is a multiple of what a line of the layout holds.
template <Layout layout, int kRows>
inline __attribute__((always_inline)) void accumulate(int32_t (&sums)[kRows][2], const uint8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t k) {
  constexpr bool kLong = line_depth(layout) == 16;                 // a line holds 16 k of a column, or 4
  constexpr int kColumn = kLong ? 16 : 4, kFour = kLong ? 4 : 64;  // bytes to the next column, to the next four k
  int32_t acc[kRows][2] = {};
  const uint8_t* row[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) row[r] = lhs + static_cast<size_t>(r) * row_bytes;
  const uint8_t* const end = lhs + 2 * (k / 16 * 16);
  while (row[0] != end) {
    step<0, 0, kColumn>(acc, row, rhs);
    step<8, kFour, kColumn>(acc, row, rhs);
    step<16, 2 * kFour, kColumn>(acc, row, rhs);
    step<24, 3 * kFour, kColumn>(acc, row, rhs);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) row[r] += 32;
    rhs += kLong ? 32 : 256;
  }
  if constexpr (!kLong) {
    for (const uint8_t* const last = lhs + 2 * k; row[0] != last; rhs += kFour) {
      step<0, 0, kColumn>(acc, row, rhs);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) row[r] += 8;
    }
  }
  memcpy(sums, acc, sizeof(acc));
}

}  // namespace
}  // namespace ert::kernels
