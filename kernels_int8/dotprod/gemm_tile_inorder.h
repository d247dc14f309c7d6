// The inner loop of gemm_tile.h for cores that issue in order (A55). There a 128-bit load takes two cycles in which nothing else
// issues, but a 64-bit load, an insert or a core instruction shares the cycle of an sdot. So a quad of weights arrives in three parts
// (low half, high half through a core register, insert), and each part stands behind an sdot, long enough before its use: in a step,
// the products of one quad, the quad after the next is loaded and the next one completed. Internal linkage.
#pragma once

#ifndef __ARM_FEATURE_DOTPROD
#error "build with -march=armv8.2-a+dotprod"
#endif

#include <arm_neon.h>
#include <string.h>

#include "kernels_int8/neon/ordered_loads.h"

namespace ert::kernels {
namespace {

// All volatile: the order of the source is the order of issue.
template <int kRows>
struct InOrderDotLoop {
  static constexpr int kSteps = 16;  // 16 k: four lines of four quads

  int32x4_t (&acc)[kRows][4];
  const int8_t* row[kRows];
  int8x8_t a[2][kRows];  // 8 k of each row, and the next 8
  int8x16_t b[4];        // quads of weights, by step modulo 4
  uint64_t high;         // of the quad that has its low half only

  // Base and offset in registers, so that no addition stands between the products.
  static inline __attribute__((always_inline)) int8x8_t load_row(const int8_t* row, size_t k) {
    int8x8_t bytes;
    __asm__ volatile("ldr %d0, [%1, %2]" : "=w"(bytes) : "r"(row), "r"(k), "m"(*reinterpret_cast<const int8_t(*)[]>(row)));
    return bytes;
  }
  static inline __attribute__((always_inline)) void complete(int8x16_t& quad, uint64_t half) {
    __asm__ volatile("ins %0.d[1], %1" : "+w"(quad) : "r"(half));
  }
  template <int kLane>
  static inline __attribute__((always_inline)) void mac(int32x4_t& sum, int8x16_t quad, int8x8_t row) {
    __asm__ volatile("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sum) : "w"(quad), "w"(row), "i"(kLane));
  }

  // Before the first step: the first quad, half of the second, 8 k of the rows.
  inline __attribute__((always_inline)) void start(const int8_t* rhs) {
    b[0] = vld1q_s8(rhs);
    b[1] = load_vector<int8x16_t>(rhs + 16);
    high = load_core(rhs + 24);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) a[0][r] = load_row(row[r], 0);
  }

  // Products of quad kStep of the 16 at rhs. `next` is where the 16 quads after them are, k the eight to load in this half.
  template <int kStep>
  inline __attribute__((always_inline)) void step(size_t k, const int8_t* rhs, const int8_t* next) {
    constexpr int kHalf = kStep / 8, kParts = 4, kRow = kStep % 8 / 2;
    const int8_t* const quad = kStep + 2 < kSteps ? rhs + 16 * (kStep + 2) : next + 16 * (kStep + 2 - kSteps);
    const auto part = [&](int i) __attribute__((always_inline)) {
      if (i == 0) b[(kStep + 2) % 4] = load_vector<int8x16_t>(quad);
      if (i == 1) complete(b[(kStep + 1) % 4], high);
      if (i == 2) high = load_core(quad + 8);
      if (i == 3 && kStep % 2 == 0 && kRow < kRows) a[1 - kHalf][kRow] = load_row(row[kRow], k);
    };
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      mac<kStep / 4 % 2>(acc[r][kStep % 4], b[kStep % 4], a[kHalf][r]);
#pragma GCC unroll 4
      for (int i = r * kParts / kRows; i < (r + 1) * kParts / kRows; ++i) part(i);
    }
  }
  template <int kFirst>
  inline __attribute__((always_inline)) void eight_steps(size_t k, const int8_t* rhs, const int8_t* next) {
    step<kFirst>(k, rhs, next);
    step<kFirst + 1>(k, rhs, next);
    step<kFirst + 2>(k, rhs, next);
    step<kFirst + 3>(k, rhs, next);
    step<kFirst + 4>(k, rhs, next);
    step<kFirst + 5>(k, rhs, next);
    step<kFirst + 6>(k, rhs, next);
    step<kFirst + 7>(k, rhs, next);
  }
};

struct InOrderDotSums {
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4, const void* = nullptr) {
    static_assert(kRows <= 4 && kQuads == 4, "32 registers");
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = acc[r][2] = acc[r][3] = vdupq_n_s32(0);
    InOrderDotLoop<kRows> loop{acc, {}, {}, {}, 0};
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) loop.row[r] = lhs + static_cast<size_t>(r) * row_bytes;
    size_t kk = 0;
    if (k4 >= 16) {
      loop.start(rhs);
      for (; kk + 16 <= k4; kk += 16, rhs += 256) {
        // The last round loads what it has once more instead of what is behind the end.
        const bool more = kk + 32 <= k4;
        const int8_t* const next = more ? rhs + 256 : rhs;
        loop.template eight_steps<0>(kk + 8, rhs, next);
        loop.template eight_steps<8>(more ? kk + 16 : kk, rhs, next);
      }
    }
    for (; kk < k4; kk += 4, rhs += 64) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        int32_t word;
        memcpy(&word, loop.row[r] + kk, sizeof(word));
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q)
          acc[r][q] = vdotq_s32(acc[r][q], vld1q_s8(rhs + 16 * q), vreinterpretq_s8_s32(vdupq_n_s32(word)));
      }
    }
  }
};

}  // namespace
}  // namespace ert::kernels
