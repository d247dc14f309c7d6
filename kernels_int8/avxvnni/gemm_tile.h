// The integer inner loop shared by the 256-bit VNNI GEMMs: u8 rows times int8 weights of layout N16K4; one panel line is two
// registers of 8 columns x 4 k. Everything here has internal linkage.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "kernels_int8/avxvnni/names.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// acc += u8 x s8 over groups of four. Written as asm because GCC 12 spills wide tiles built from the intrinsic.
inline __attribute__((always_inline)) void mac(__m256i& acc, __m256i lhs_u8, __m256i rhs_s8) {
  __asm__(ERT_VEX "vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(lhs_u8), "x"(rhs_s8));
}

// Zero that the compiler cannot merge with other zeros: accumulators that start as one value are copied in the loop.
inline __attribute__((always_inline)) __m256i zero() {
  __m256i x;
  __asm__ volatile("vpxor %0, %0, %0" : "=x"(x));
  return x;
}

inline __attribute__((always_inline)) __m256i broadcast4(const uint8_t* p) {
  int32_t word;
  memcpy(&word, p, sizeof(word));
  return _mm256_set1_epi32(word);
}

inline __attribute__((always_inline)) __m256i load_half(const int8_t* half_line) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half_line));
}

// acc[r][j]: columns 8j..8j+7 of the panels at rhs + p * panel_bytes. `k` is a multiple of 4. With kAhead the lines `ahead` bytes
// further on are on their way to the near cache afterwards. Of one panel the weights stay in registers, of more the row's values.
template <int kRows, int kPanels, bool kAhead = false>
inline __attribute__((always_inline)) void accumulate(__m256i (&acc)[kRows][2 * kPanels], const uint8_t* lhs, size_t row_bytes,
                                                      const int8_t* rhs, size_t panel_bytes, size_t k, size_t ahead = 0) {
  const uint8_t* row[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = lhs + r * row_bytes;
#pragma GCC unroll 16
    for (int j = 0; j < 2 * kPanels; ++j) acc[r][j] = zero();
  }
  for (size_t kk = 0; kk < k; kk += 4) {
    if constexpr (kAhead) {
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) _mm_prefetch(rhs + p * panel_bytes + ahead, _MM_HINT_T1);
    }
    if constexpr (kPanels == 1) {
      const __m256i w0 = load_half(rhs), w1 = load_half(rhs + 32);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const __m256i lhs4 = broadcast4(row[r] + kk);
        mac(acc[r][0], lhs4, w0), mac(acc[r][1], lhs4, w1);
      }
    } else {
      __m256i lhs4[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) lhs4[r] = broadcast4(row[r] + kk);
#pragma GCC unroll 16
      for (int j = 0; j < 2 * kPanels; ++j) {
        const __m256i w = load_half(rhs + j / 2 * panel_bytes + j % 2 * 32);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) mac(acc[r][j], lhs4[r], w);
      }
    }
    rhs += 64;
  }
}

}  // namespace
}  // namespace ert::kernels
