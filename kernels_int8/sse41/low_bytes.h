// Low rows of W8A8 on SSE4.1: those of avx2/low_bytes.h, for the same reasons. Weights are read where they are multiplied, and no sign is moved to them.
//
// A row has the form of signed_bytes.h with |a| = q in [0, 255]; for each s it has kLowMark, which no other row has.
//
// Everything here has internal linkage.
#pragma once

#include "kernels_int8/sse41/signed_bytes.h"

namespace ert::kernels {
namespace {

constexpr int8_t kLowMark = 1;

// 16 bytes q of a low row.
inline __attribute__((always_inline)) void store_low_bytes(int8_t* dst, __m128i q) {
  const __m128i mark = _mm_set1_epi8(kLowMark);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), _mm_unpacklo_epi32(mark, q));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + 16), _mm_unpackhi_epi32(mark, q));
}

// Marks the pairs of lines of a row: whose four values of each lane sum up to at most kMostOfFour, and whose two do.
inline void mark_low_row(const uint8_t* row, size_t lines, uint64_t* words, uint64_t* single) {
  const __m128i of_magnitudes = _mm_set1_epi64x(0x0101010100000000), most = _mm_set1_epi16(kMostOfFour);
  const auto none_above = [&](__m128i sums) {  // the low half counts
    const __m128i fit = _mm_cmpeq_epi64(_mm_cmpgt_epi16(sums, most), _mm_setzero_si128());
    return static_cast<uint64_t>(_mm_movemask_pd(_mm_castsi128_pd(fit)) & 1);
  };
  const size_t pairs = lines / 2;
  for (size_t first = 0; first < pairs; first += kPairsPerWord, ++words, ++single) {
    const size_t end = pairs - first < kPairsPerWord ? pairs : first + kPairsPerWord;
    *words = *single = 0;
    for (size_t pair = first; pair < end; ++pair) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 2 * pair * kRowLineBytes));
      const __m128i sums = _mm_maddubs_epi16(x, of_magnitudes), second = _mm_unpackhi_epi64(sums, sums);
      *words |= none_above(_mm_add_epi16(sums, second)) << (pair - first);
      *single |= none_above(_mm_max_epi16(sums, second)) << (pair - first);
    }
  }
}

// For by_marked_rows. Tiles correct sums by 128 - zero point, which would be right for a = q - 128.
struct LookAtRows {
  static bool is_low(const uint8_t* row) { return row[0] == kLowMark; }
  static void at_low_row(const uint8_t* row, size_t lines, RowScale* copy, uint64_t* words, uint64_t* single) {
    copy->zero_point += 128;
    mark_low_row(row, lines, words, single);
  }
  static size_t at_row(const uint8_t* row, size_t lines, RowScale* copy, uint64_t* words) { return look_at_row(row, lines, copy, words); }
};

using LineOf16 = int8_t[16];

// Four columns of one line of one row, the magnitudes given; w is aligned to 16. Asm because GCC 12 spills wide tiles built from the intrinsics.
inline __attribute__((always_inline)) void add_low_line(__m128i& acc, __m128i m, const int8_t* w, __m128i ones) {
  __m128i x;
  __asm__("movdqa %[m], %[x]\n\tpmaddubsw %[w], %[x]\n\tpmaddwd %[ones], %[x]\n\tpaddd %[x], %[acc]"
          : [acc] "+x"(acc), [x] "=&x"(x)
          : [m] "x"(m), [ones] "x"(ones), [w] "m"(*reinterpret_cast<const LineOf16*>(w)));
}
inline __attribute__((always_inline)) void add_two_low_lines(__m128i& acc, __m128i m0, __m128i m1, const int8_t* w, __m128i ones) {
  __m128i x, y;
  __asm__(
      "movdqa %[m0], %[x]\n\tpmaddubsw %[w0], %[x]\n\tmovdqa %[m1], %[y]\n\tpmaddubsw %[w1], %[y]\n\t"
      "paddw %[y], %[x]\n\tpmaddwd %[ones], %[x]\n\tpaddd %[x], %[acc]"
      : [acc] "+x"(acc), [x] "=&x"(x), [y] "=&x"(y)
      : [m0] "x"(m0), [m1] "x"(m1), [ones] "x"(ones), [w0] "m"(*reinterpret_cast<const LineOf16*>(w)),
        [w1] "m"(*reinterpret_cast<const LineOf16*>(w + kLineBytes)));
}

// Below, lines of kRows rows and a panel for tiles by Marks::kOfLowRows.
enum class LowLines { kTogether, kApart, kSplit };

// Two lines: summed in int16 first, each on its own, or whatever the values: up to 128, and what is above.
template <LowLines kHow, int kRows>
inline __attribute__((always_inline)) void add_low_lines(__m128i (&acc)[kRows][4], const uint8_t* lhs, size_t row_bytes, const int8_t* rhs, __m128i ones) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lhs + static_cast<size_t>(r) * row_bytes));
    __m128i m[2] = {_mm_shuffle_epi32(bytes, 0x55), _mm_shuffle_epi32(bytes, 0xff)};
    if constexpr (kHow == LowLines::kSplit) {
      const __m128i most = _mm_set1_epi8(static_cast<char>(0x80));
      const __m128i rest[2] = {_mm_subs_epu8(m[0], most), _mm_subs_epu8(m[1], most)};
#pragma GCC unroll 16
      for (int j = 0; j < 4; ++j) {
        add_low_line(acc[r][j], rest[0], rhs + 16 * j, ones);
        add_low_line(acc[r][j], rest[1], rhs + kLineBytes + 16 * j, ones);
      }
      m[0] = _mm_min_epu8(m[0], most);
      m[1] = _mm_min_epu8(m[1], most);
    }
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
      if constexpr (kHow == LowLines::kTogether) {
        add_two_low_lines(acc[r][j], m[0], m[1], rhs + 16 * j, ones);
      } else {
        add_low_line(acc[r][j], m[0], rhs + 16 * j, ones);
        add_low_line(acc[r][j], m[1], rhs + kLineBytes + 16 * j, ones);
      }
    }
  }
}

// The last of an odd number of lines, whatever the values.
template <int kRows>
inline __attribute__((always_inline)) void add_last_low_line(__m128i (&acc)[kRows][4], const uint8_t* lhs, size_t row_bytes, const int8_t* rhs, __m128i ones) {
  const __m128i most = _mm_set1_epi8(static_cast<char>(0x80));
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lhs + static_cast<size_t>(r) * row_bytes));
    const __m128i m = _mm_shuffle_epi32(bytes, 0x55), low = _mm_min_epu8(m, most), rest = _mm_subs_epu8(m, most);
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
      add_low_line(acc[r][j], low, rhs + 16 * j, ones);
      add_low_line(acc[r][j], rest, rhs + 16 * j, ones);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
