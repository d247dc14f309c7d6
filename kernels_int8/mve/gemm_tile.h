// The integer inner loop of Helium: vmladava multiplies 16 bytes of a row with 16 k of a column and adds all of it to a core
// register. Those sums must lie in even registers, which leaves room for six: three rows x two columns. A line of N2K16 is what
// two loads want; of N16K4 the words of a column are gathered, four lines at a time. Internal linkage.
#pragma once

#if !defined(__ARM_FEATURE_MVE)
#error "build for a core with MVE"
#endif

#include <arm_mve.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// Walks along k: 16 of the first column, then of the second, then on.
template <Layout layout>
struct Columns;
template <>
struct Columns<Layout::kN2K16> {
  const int8_t* at;
  inline __attribute__((always_inline)) explicit Columns(const int8_t* rhs) : at(rhs) {}
  // As asm because GCC 12 makes two instructions of it.
  inline __attribute__((always_inline)) int8x16_t first() {
    int8x16_t bytes;
    __asm__("vldrb.8 %q0, [%1], #16" : "=w"(bytes), "+r"(at) : "m"(*reinterpret_cast<const int8_t(*)[16]>(at)));
    return bytes;
  }
  inline __attribute__((always_inline)) int8x16_t second() { return first(); }
};
template <>
struct Columns<Layout::kN16K4> {
  static constexpr uint32_t kLineBytes = 64, kFourLines = 4 * kLineBytes;
  // The addresses of four lines, which the load of the first column moves on before it reads.
  uint32x4_t lines;
  inline __attribute__((always_inline)) explicit Columns(const int8_t* rhs)
      : lines(vidupq_n_u32(0, 1) * kLineBytes + (reinterpret_cast<uintptr_t>(rhs) - kFourLines)) {}
  // As asm because GCC 12 loads twice for the intrinsic that moves the addresses, and copies what the other one gives.
  inline __attribute__((always_inline)) int8x16_t first() {
    int8x16_t bytes;
    __asm__("vldrw.u32 %q0, [%q1, #256]!" : "=&w"(bytes), "+w"(lines) : : "memory");
    static_assert(kFourLines == 256, "as above");
    return bytes;
  }
  inline __attribute__((always_inline)) int8x16_t second() {
    int8x16_t bytes;
    __asm__("vldrw.u32 %q0, [%q1, #4]" : "=&w"(bytes) : "w"(lines) : "memory");
    return bytes;
  }
  // The last lines of a column, `present` of four.
  static inline __attribute__((always_inline)) int8x16_t some(const int8_t* p, uint32_t present) {
    const int32_t* words = static_cast<const int32_t*>(static_cast<const void*>(p));
    return vreinterpretq_s8_s32(vldrwq_gather_offset_z_s32(words, vidupq_n_u32(0, 1) * kLineBytes, vctp32q(present)));
  }
};

// Rows of bytes q - 128, or q, which become that.
enum class RowBytes { kSigned, kUnsigned };
template <RowBytes bytes>
inline __attribute__((always_inline)) int8x16_t load_row(const int8_t* row, int8x16_t sign) {
  const int8x16_t q = vldrbq_s8(row);
  return bytes == RowBytes::kUnsigned ? veorq_s8(q, sign) : q;
}

// sums[r][c] over k, which whole lines of the layout hold.
template <Layout layout, int kRows, RowBytes bytes = RowBytes::kSigned>
inline __attribute__((always_inline)) void accumulate(int32_t (&sums)[kRows][2], const int8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t k) {
  const int8x16_t sign = vdupq_n_s8(-128);
  int32_t acc[kRows][2] = {};
  const int8_t* row[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) row[r] = lhs + static_cast<size_t>(r) * row_bytes;
  Columns<layout> columns(rhs);
  // Loads stand between multiplications, with which they overlap, and for that the last multiplication of a round is done in the next one:
  // the first round adds zero. -fno-schedule-insns keeps the order.
  int8x16_t last = vdupq_n_s8(0), second = vdupq_n_s8(0);
  for (size_t n = k / 16; n != 0; --n) {
    const int8x16_t first = columns.first();
    acc[kRows - 1][1] = vmladavaq_s8(acc[kRows - 1][1], last, second);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const int8x16_t a = load_row<bytes>(row[r], sign);
      row[r] += 16;
      acc[r][0] = vmladavaq_s8(acc[r][0], a, first);
      if (r == 0) second = columns.second();
      if (r < kRows - 1) {
        acc[r][1] = vmladavaq_s8(acc[r][1], a, second);
      } else {
        last = a;
      }
    }
  }
  acc[kRows - 1][1] = vmladavaq_s8(acc[kRows - 1][1], last, second);
  if constexpr (layout == Layout::kN16K4) {
    if (k % 16 != 0) {
      const uint32_t present = static_cast<uint32_t>(k % 16 / 4);
      const int8_t* tail = rhs + k / 16 * Columns<layout>::kFourLines;
      const int8x16_t left = Columns<layout>::some(tail, present), right = Columns<layout>::some(tail + 4, present);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const int8x16_t a = load_row<bytes>(row[r], sign);
        acc[r][0] = vmladavaq_s8(acc[r][0], a, left);
        acc[r][1] = vmladavaq_s8(acc[r][1], a, right);
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    sums[r][0] = acc[r][0];
    sums[r][1] = acc[r][1];
  }
}

}  // namespace
}  // namespace ert::kernels
