// The integer inner loop with sdot: 16 bytes of a quad of N16K4 (4 columns x 4 k) times 4 bytes of a row, taken by lane from a
// register that holds 16 k. Internal linkage.
#pragma once

#ifndef __ARM_FEATURE_DOTPROD
#error "build with -march=armv8.2-a+dotprod"
#endif

#include <arm_neon.h>
#include <string.h>

namespace ert::kernels {
namespace {

struct DotSums {
  // acc += the four columns of b times 4 bytes of a. Written as asm because GCC 12 spills five rows built from the intrinsic.
  template <int kLane>
  static inline __attribute__((always_inline)) void mac(int32x4_t& acc, int8x16_t b, int8x16_t a) {
    __asm__("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(acc) : "w"(b), "w"(a), "i"(kLane));
  }

  // One line: lane `kLane` of the rows' registers.
  template <int kLane, int kRows, int kQuads>
  static inline __attribute__((always_inline)) void line(int32x4_t (&acc)[kRows][kQuads], const int8x16_t (&a)[kRows],
                                                         const int8_t* rhs, size_t panel_bytes) {
#pragma GCC unroll 16
    for (int q = 0; q < kQuads; ++q) {
      const int8x16_t b = vld1q_s8(rhs + static_cast<size_t>(q / 4) * panel_bytes + 64 * kLane + 16 * (q % 4));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) mac<kLane>(acc[r][q], b, a[r]);
    }
  }

  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t panel_bytes, size_t k4, const void* = nullptr) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int q = 0; q < kQuads; ++q) acc[r][q] = vdupq_n_s32(0);
    }
    add(acc, lhs, row_bytes, rhs, panel_bytes, k4);
  }

  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void add(int32x4_t (&acc)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t panel_bytes, size_t k4) {
    size_t kk = 0;
    for (; kk + 16 <= k4; kk += 16, rhs += 256) {
      int8x16_t a[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) a[r] = vld1q_s8(lhs + static_cast<size_t>(r) * row_bytes + kk);
      line<0>(acc, a, rhs, panel_bytes);
      line<1>(acc, a, rhs, panel_bytes);
      line<2>(acc, a, rhs, panel_bytes);
      line<3>(acc, a, rhs, panel_bytes);
    }
    for (; kk < k4; kk += 4, rhs += 64) {
      int8x16_t a[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        int32_t word;
        memcpy(&word, lhs + static_cast<size_t>(r) * row_bytes + kk, sizeof(word));
        a[r] = vreinterpretq_s8_s32(vdupq_n_s32(word));
      }
      line<0>(acc, a, rhs, panel_bytes);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
