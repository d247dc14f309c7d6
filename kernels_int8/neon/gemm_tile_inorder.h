// The inner loop of gemm_tile.h for AArch64 cores that issue in order (A53). There a 128-bit load takes two cycles and a vector load
// never shares a cycle with a product, but a core load does, and a 64-bit vector load shares one with a move to a vector register.
// So half quads (2 columns x 4 k) and four bytes of a row, twice, are what is loaded, and always two at a time: one by a vector load,
// the other by a core load that hid behind a product, and a move. Every load stands behind the last use of its register, a row or
// more before the next one. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/ordered_loads.h"

namespace ert::kernels {
namespace {

// All volatile: the order of the source is the order of issue.
template <int kRows>
struct InOrderNeonLoop {
  static constexpr int kHalves = 4;  // two quads of columns
  typedef uint32_t __attribute__((may_alias, aligned(1))) Word32;

  int32x4_t acc[kRows][kHalves];             // two columns in two parts each
  int8x8_t first[kHalves], second[kHalves];  // weights of k 0 .. 3 and 4 .. 7
  int8x8_t even, odd;                        // of the row at work: the same eight k
  const int8_t* row[kRows];                  // what is loaded next
  const int8_t* rhs;
  size_t rounds, more;  // rounds to do; 1 if there are some behind this one
  uint64_t high[4];     // halves that a move completes
  uint32_t high_odd;

  static inline __attribute__((always_inline)) int8x8_t move(uint64_t half) {
    int8x8_t moved;
    __asm__ volatile("fmov %d0, %1" : "=w"(moved) : "r"(half));
    return moved;
  }
  // Four bytes twice. With `by`, p is advanced.
  static inline __attribute__((always_inline)) int8x8_t load_four(const int8_t* p) {
    int8x8_t four;
    __asm__ volatile("ld1r {%0.2s}, %1" : "=w"(four) : "Q"(*reinterpret_cast<const Word32*>(p)));
    return four;
  }
  static inline __attribute__((always_inline)) int8x8_t load_four(const int8_t** p, size_t by) {
    int8x8_t four;
    __asm__ volatile("ld1r {%0.2s}, [%1], %2" : "=w"(four), "+r"(*p) : "r"(by), "m"(*reinterpret_cast<const int8_t(*)[4]>(*p)));
    return four;
  }
  static inline __attribute__((always_inline)) uint32_t load_four_core(const int8_t* p) {
    uint32_t four;
    __asm__ volatile("ldr %w0, %1" : "=r"(four) : "m"(*reinterpret_cast<const Word32*>(p)));
    return four;
  }
  static inline __attribute__((always_inline)) int8x8_t move_four(uint32_t four) {
    int8x8_t moved;
    __asm__ volatile("dup %0.2s, %w1" : "=w"(moved) : "r"(four));
    return moved;
  }
  static inline __attribute__((always_inline)) int16x8_t multiply(int8x8_t a, int8x8_t b) {
    int16x8_t product;
    __asm__ volatile("smull %0.8h, %1.8b, %2.8b" : "=w"(product) : "w"(a), "w"(b));
    return product;
  }
  static inline __attribute__((always_inline)) void multiply_add(int16x8_t& sum, int8x8_t a, int8x8_t b) {
    __asm__ volatile("smlal %0.8h, %1.8b, %2.8b" : "+w"(sum) : "w"(a), "w"(b));
  }

  // Before the first eight k.
  inline __attribute__((always_inline)) void start() {
#pragma GCC unroll 4
    for (int h = 0; h < kHalves; ++h) {
      first[h] = load_vector<int8x8_t>(rhs + 8 * h);
      second[h] = load_vector<int8x8_t>(rhs + 64 + 8 * h);
    }
    even = load_four(row[0]);
    odd = load_four(row[0] + 4);
  }

  // What stands behind product i of row kRow: row 0 sees whether there are more rounds and advances what is loaded in the last row
  // (the last round loads what it has once more, not what is behind the end); then core loads for the next row or round.
  template <int kRow>
  inline __attribute__((always_inline)) void behind_product(int i) {
    if (kRow == 0 && i == 0) __asm__ volatile("subs %0, %0, #1\n\tcset %1, ne" : "+r"(rounds), "=r"(more) : : "cc");
    if (kRow == 0 && i == 1) __asm__ volatile("add %0, %0, %1, lsl #7" : "+r"(rhs) : "r"(more));
    if (kRow == 0 && i == 2) __asm__ volatile("add %0, %0, %1, lsl #3" : "+r"(row[0]) : "r"(more));
    if (i == 3) high_odd = load_four_core(row[(kRow + 1) % kRows] + 4);
    if (kRow == kRows - 1 && i >= 4) high[i - 4] = load_core(rhs + (i < 6 ? 0 : 64) + 8 + i % 2 * 16);
  }

  // Eight k of row kRow, and at the end of it what the next row or round needs.
  template <int kRow>
  inline __attribute__((always_inline)) void eight_k() {
    int16x8_t sum[kHalves];
#pragma GCC unroll 4
    for (int h = 0; h < kHalves; ++h) {
      sum[h] = multiply(first[h], even);
      behind_product<kRow>(h);
    }
#pragma GCC unroll 4
    for (int h = 0; h < kHalves; ++h) {
      multiply_add(sum[h], second[h], odd);
      behind_product<kRow>(kHalves + h);
    }
    even = kRow < kRows - 1 ? load_four(&row[(kRow + 1) % kRows], 8) : load_four(row[0]);
    odd = move_four(high_odd);
    if (kRow == kRows - 1) {
#pragma GCC unroll 4
      for (int h = 0; h < kHalves; h += 2) {
        first[h] = load_vector<int8x8_t>(rhs + 8 * h);
        first[h + 1] = move(high[h / 2]);
      }
#pragma GCC unroll 4
      for (int h = 0; h < kHalves; h += 2) {
        second[h] = load_vector<int8x8_t>(rhs + 64 + 8 * h);
        second[h + 1] = move(high[2 + h / 2]);
      }
    }
#pragma GCC unroll 4
    for (int h = 0; h < kHalves; ++h) accumulate(&acc[kRow][h], sum[h]);
  }
};

struct InOrderNeonSums {
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&sums)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4) {
    static_assert(kRows <= 4 && kQuads == 2, "32 registers");
    InOrderNeonLoop<kRows> loop;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      loop.row[r] = lhs + static_cast<size_t>(r) * row_bytes;
#pragma GCC unroll 4
      for (int h = 0; h < 4; ++h) loop.acc[r][h] = vdupq_n_s32(0);
    }
    loop.rhs = rhs;
    loop.rounds = k4 / 8;
    if (loop.rounds != 0) {
      loop.start();
      do {
        loop.template eight_k<0>();
        if constexpr (kRows > 1) loop.template eight_k<1>();
        if constexpr (kRows > 2) loop.template eight_k<2>();
        if constexpr (kRows > 3) loop.template eight_k<3>();
      } while (loop.more != 0);
    }
    if (k4 % 8 != 0) {
      const size_t kk = k4 - 4;
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const int8x8_t last = loop.load_four(lhs + static_cast<size_t>(r) * row_bytes + kk);
#pragma GCC unroll 4
        for (int h = 0; h < 4; ++h)
          accumulate(&loop.acc[r][h], loop.multiply(load_vector<int8x8_t>(rhs + 16 * kk + 8 * h), last));
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] = add_pairs(loop.acc[r][0], loop.acc[r][1]);
      sums[r][1] = add_pairs(loop.acc[r][2], loop.acc[r][3]);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
