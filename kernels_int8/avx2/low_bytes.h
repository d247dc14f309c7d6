// Low rows of W8A8 on AVX2: those whose values lie near the least one, as behind a ReLU or GELU. About 128 all of them would be large; here a = q, no value has a
// sign, and weights need none: a line takes three instructions instead of four, two lines that are summed in int16 five instead of seven.
//
// A row has the form of signed_bytes.h with |a| = q in [0, 255]; for each s it has kLowMark, which no other row has. Products of two values with weights in [-127, 127] fit int16 where
// the values sum up to at most 256; of other lines each value is taken in two parts. The quantizer decides by low_rows.h.
//
// Everything here has internal linkage.
#pragma once

#include "kernels_int8/avx2/signed_bytes.h"

namespace ert::kernels {
namespace {

constexpr uint8_t kLowMark = 1;

// Marks the pairs of lines of a row, those that are not there too: whose four values of each lane sum up to at most kMostOfFour, and whose two do.
inline void mark_low_row(const uint8_t* row, size_t lines, uint64_t* words, uint64_t* single) {
  const __m256i of_magnitudes = _mm256_set1_epi64x(0x0101010100000000), most = _mm256_set1_epi16(kMostOfFour);
  const auto none_above = [&](__m256i sums) __attribute__((always_inline)) {  // bit i: of pair i, which stand in the order 0, 2, 1, 3
    const __m256i above = _mm256_cmpgt_epi16(_mm256_permute4x64_epi64(sums, 0xd8), most);
    return static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(above, _mm256_setzero_si256()))));
  };
  for (size_t line = 0; line < lines; ++words, ++single) {
    *words = *single = 0;
    for (size_t shift = 0; shift < kPairsPerWord && line < lines; shift += 4, line += 8) {
      const __m256i x = load_lines(row + line * kRowLineBytes, lines - line);
      const __m256i y = lines - line > 4 ? load_lines(row + (line + 4) * kRowLineBytes, lines - line - 4) : _mm256_setzero_si256();
      const __m256i u = _mm256_maddubs_epi16(x, of_magnitudes), v = _mm256_maddubs_epi16(y, of_magnitudes);
      const __m256i first = _mm256_unpacklo_epi64(u, v), second = _mm256_unpackhi_epi64(u, v);
      *words |= none_above(_mm256_add_epi16(first, second)) << shift;
      *single |= none_above(_mm256_max_epi16(first, second)) << shift;
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

// The magnitudes of a line, in each four bytes.
inline __attribute__((always_inline)) __m256i magnitudes(const uint8_t* line) {
  int32_t word;
  memcpy(&word, line + 4, sizeof word);
  return _mm256_set1_epi32(word);
}

// Eight columns of one line of one row, the magnitudes given. Asm because GCC 12 spills wide tiles built from the intrinsics.
inline __attribute__((always_inline)) void add_low_line(__m256i& acc, __m256i m, const int8_t* w, __m256i ones) {
  __m256i t;
  __asm__("vpmaddubsw %[w], %[m], %[t]\n\tvpmaddwd %[t], %[ones], %[t]\n\tvpaddd %[t], %[acc], %[acc]"
          : [acc] "+x"(acc), [t] "=&x"(t)
          : [m] "x"(m), [ones] "x"(ones), [w] "m"(*reinterpret_cast<const __m256i_u*>(w)));
}
inline __attribute__((always_inline)) void add_two_low_lines(__m256i& acc, __m256i m0, __m256i m1, const int8_t* w, __m256i ones) {
  __m256i t, u;
  __asm__(
      "vpmaddubsw %[w0], %[m0], %[t]\n\tvpmaddubsw %[w1], %[m1], %[u]\n\tvpaddw %[u], %[t], %[t]\n\t"
      "vpmaddwd %[t], %[ones], %[t]\n\tvpaddd %[t], %[acc], %[acc]"
      : [acc] "+x"(acc), [t] "=&x"(t), [u] "=&x"(u)
      : [m0] "x"(m0), [m1] "x"(m1), [ones] "x"(ones), [w0] "m"(*reinterpret_cast<const __m256i_u*>(w)),
        [w1] "m"(*reinterpret_cast<const __m256i_u*>(w + kLineBytes)));
}

// Below, lines of kRows rows and kHalves / 2 panels for tiles by Marks::kOfLowRows; rhs: of the first panel.
inline __attribute__((always_inline)) size_t half_at(int h, size_t panel_bytes) { return static_cast<size_t>(h / 2) * panel_bytes + static_cast<size_t>(h % 2) * 32; }

template <int kRows, int kHalves>
inline __attribute__((always_inline)) void add_two_low_lines_of_rows(__m256i (&acc)[kRows][kHalves], const uint8_t* lhs, const int8_t* rhs,
                                                                     const TileArgs& t, __m256i ones) {
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    const uint8_t* row = lhs + r * t.row_bytes;
    const __m256i m0 = magnitudes(row), m1 = magnitudes(row + kRowLineBytes);
#pragma GCC unroll 8
    for (int h = 0; h < kHalves; ++h) add_two_low_lines(acc[r][h], m0, m1, rhs + half_at(h, t.panel_bytes), ones);
  }
}

template <int kRows, int kHalves>
inline __attribute__((always_inline)) void add_low_line_of_rows(__m256i (&acc)[kRows][kHalves], const uint8_t* lhs, const int8_t* rhs,
                                                                const TileArgs& t, __m256i ones) {
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    const __m256i m = magnitudes(lhs + r * t.row_bytes);
#pragma GCC unroll 8
    for (int h = 0; h < kHalves; ++h) add_low_line(acc[r][h], m, rhs + half_at(h, t.panel_bytes), ones);
  }
}

// Whatever the values: up to 128, and what is above.
template <int kRows, int kHalves>
inline __attribute__((always_inline)) void add_split_line_of_rows(__m256i (&acc)[kRows][kHalves], const uint8_t* lhs, const int8_t* rhs,
                                                                  const TileArgs& t, __m256i ones) {
  const __m256i most = _mm256_set1_epi8(static_cast<char>(0x80));
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    const __m256i m = magnitudes(lhs + r * t.row_bytes), low = _mm256_min_epu8(m, most), rest = _mm256_subs_epu8(m, most);
#pragma GCC unroll 8
    for (int h = 0; h < kHalves; ++h) {
      add_low_line(acc[r][h], low, rhs + half_at(h, t.panel_bytes), ones);
      add_low_line(acc[r][h], rest, rhs + half_at(h, t.panel_bytes), ones);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
