// The integer inner loop of Helium: vmladava multiplies 16 bytes of a row with 16 k of a column and adds all of it to a core
// register. Those sums must lie in even registers, which leaves room for six: three rows x two columns. A line of N2K16 is what
// two loads want; of N16K4 the words of a column are gathered, four lines at a time. Internal linkage.
#pragma once

#if !defined(__ARM_FEATURE_MVE)
#error "build for a core with MVE"
#endif

#include <arm_mve.h>

#include "kernels_int8/kernel_table.h"

namespace ert::kernels {
namespace {

// 16 k of a column, of which `present` (a predicate of groups of four) exist.
template <Layout layout>
struct Column;
template <>
struct Column<Layout::kN2K16> {
  // 16 k of the first column, and of the second; the pointer is moved to the next 16 k by both. As asm because GCC 12 makes two
  // instructions of it.
  static inline __attribute__((always_inline)) int8x16_t first(const int8_t** p) {
    int8x16_t bytes;
    __asm__("vldrb.8 %q0, [%1], #16" : "=w"(bytes), "+r"(*p) : "m"(*reinterpret_cast<const int8_t(*)[16]>(*p)));
    return bytes;
  }
  static inline __attribute__((always_inline)) int8x16_t second(const int8_t** p) { return first(p); }
};
template <>
struct Column<Layout::kN16K4> {
  static inline __attribute__((always_inline)) const int32_t* words(const int8_t* p) {
    return static_cast<const int32_t*>(static_cast<const void*>(p));
  }
  static inline __attribute__((always_inline)) uint32x4_t lines() { return vidupq_n_u32(0, 1) * 64; }
  static inline __attribute__((always_inline)) int8x16_t first(const int8_t** p) {
    return vreinterpretq_s8_s32(vldrwq_gather_offset_s32(words(*p), lines()));
  }
  static inline __attribute__((always_inline)) int8x16_t second(const int8_t** p) {
    const int8_t* column = *p + 4;
    *p += 256;
    return first(&column);
  }
  static inline __attribute__((always_inline)) int8x16_t load_first(const int8_t* p, uint32_t present) {
    return vreinterpretq_s8_s32(vldrwq_gather_offset_z_s32(words(p), lines(), vctp32q(present)));
  }
};

// sums[r][c] over k, which whole lines of the layout hold.
template <Layout layout, int kRows>
inline __attribute__((always_inline)) void accumulate(int32_t (&sums)[kRows][2], const int8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t k) {
  using C = Column<layout>;
  int32_t acc[kRows][2] = {};
  const int8_t* row[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) row[r] = lhs + static_cast<size_t>(r) * row_bytes;
  // Loads stand between multiplications, with which they overlap; -fno-schedule-insns keeps the order.
  for (size_t n = k / 16; n != 0; --n) {
    const int8x16_t first = C::first(&rhs), top = vldrbq_s8(row[0]);
    row[0] += 16;
    acc[0][0] = vmladavaq_s8(acc[0][0], top, first);
    const int8x16_t second = C::second(&rhs);
    acc[0][1] = vmladavaq_s8(acc[0][1], top, second);
#pragma GCC unroll 4
    for (int r = 1; r < kRows; ++r) {
      const int8x16_t a = vldrbq_s8(row[r]);
      row[r] += 16;
      acc[r][0] = vmladavaq_s8(acc[r][0], a, first);
      acc[r][1] = vmladavaq_s8(acc[r][1], a, second);
    }
  }
  if constexpr (layout == Layout::kN16K4) {
    if (k % 16 != 0) {
      const uint32_t present = static_cast<uint32_t>(k % 16 / 4);
      const int8x16_t first = C::load_first(rhs, present), second = C::load_first(rhs + 4, present);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const int8x16_t a = vldrbq_s8(row[r]);
        acc[r][0] = vmladavaq_s8(acc[r][0], a, first);
        acc[r][1] = vmladavaq_s8(acc[r][1], a, second);
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
