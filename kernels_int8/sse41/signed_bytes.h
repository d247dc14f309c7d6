// The integer inner loop of W8A8 on SSE4.1: that of avx2/signed_bytes.h, exact although maddubs saturates, of rows times int8 weights of layout N16K4.
//
// A row holds a = q - 128, in [-128, 127], for each line of weights as four bytes s, -1 where a is negative and otherwise 0, and four bytes |a|: sixteen bytes are
// two lines. |a| * (w ^ s) is a * w, less |a| where a is negative; the sums of a row start with what they lack so. (psignb takes the pipes of the products on many cores.)
// Two products lie in [2 * 128 * -128, 2 * 128 * 127] and fit int16. Sums of two lines fit where the four values that meet in an int16 lane are small, or where the
// four weights have magnitudes that sum up to at most 252, as 128 * (252 + 4) = 2^15.
// Everything here has internal linkage.
#pragma once

#ifndef __SSE4_1__
#error "build with -mssse3 -msse4.1"
#endif

#include <smmintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/loops/line_pairs.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __m128i load_bytes(const int8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// Whether the products of a line and the next may be summed in int16: the four weights of each lane have magnitudes that sum up to at most 252.
inline __attribute__((always_inline)) bool pair_fits(const int8_t* lines) {
  __m128i largest = _mm_setzero_si128();
#pragma GCC unroll 16
  for (size_t j = 0; j < kLineBytes; j += 16) {
    // Magnitudes are at most 127: two of them fit a byte.
    const __m128i two = _mm_add_epi8(_mm_abs_epi8(load_bytes(lines + j)), _mm_abs_epi8(load_bytes(lines + kLineBytes + j)));
    largest = _mm_max_epi16(largest, _mm_maddubs_epi16(two, _mm_set1_epi8(1)));
  }
  const __m128i more = _mm_add_epi16(largest, _mm_set1_epi16(3));  // above 252 are those that then need a ninth bit
  return _mm_testz_si128(more, _mm_set1_epi16(static_cast<int16_t>(0xff00))) != 0;
}

// Sixteen bytes a: signs and magnitudes (128 of -128, as u8) of four values each.
inline __attribute__((always_inline)) void store_with_signs(void* dst, __m128i a) {
  const __m128i sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a), magnitude = _mm_abs_epi8(a);
  _mm_storeu_si128(static_cast<__m128i*>(dst), _mm_unpacklo_epi32(sign, magnitude));
  _mm_storeu_si128(static_cast<__m128i*>(dst) + 1, _mm_unpackhi_epi32(sign, magnitude));
}

// Adds what sums of two lines lack, in 64-bit parts.
inline __attribute__((always_inline)) __m128i with_lack(__m128i sum, __m128i lines) {
  const __m128i of_negative = _mm_and_si128(lines, _mm_slli_epi64(lines, 32));  // the signs come to the magnitudes
  return _mm_add_epi64(sum, _mm_sad_epu8(of_negative, _mm_setzero_si128()));
}
inline int32_t sum_of_parts(__m128i sum) { return _mm_cvtsi128_si32(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum))); }

// What the sums of so many lines of a row lack.
inline int32_t lack_of_lines(const uint8_t* row, size_t lines) {
  __m128i sum = _mm_setzero_si128();
  for (; lines >= 2; lines -= 2, row += 2 * kRowLineBytes)
    sum = with_lack(sum, _mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
  if (lines > 0) sum = with_lack(sum, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row)));
  return sum_of_parts(sum);
}

// All bits of a half, x or y, where the magnitudes of that pair of lines sum up to at most kMostOfFour in each lane.
inline __attribute__((always_inline)) __m128i small_values(__m128i x, __m128i y) {
  const __m128i of_magnitudes = _mm_set1_epi64x(0x0101010100000000);
  const __m128i u = _mm_maddubs_epi16(x, of_magnitudes), v = _mm_maddubs_epi16(y, of_magnitudes);
  const __m128i sums = _mm_add_epi16(_mm_unpacklo_epi64(u, v), _mm_unpackhi_epi64(u, v));
  return _mm_cmpeq_epi64(_mm_cmpgt_epi16(sums, _mm_set1_epi16(kMostOfFour)), _mm_setzero_si128());
}

// A last line without a second one is no pair.
inline size_t mark_row(const uint8_t* row, size_t lines, uint64_t* words) {
  const size_t pairs = lines / 2;
  const auto load = [&](size_t pair) {
    return pair < pairs ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 2 * pair * kRowLineBytes)) : _mm_setzero_si128();
  };
  __m128i fitting = _mm_setzero_si128();
  for (size_t first = 0; first < pairs; first += kPairsPerWord) {
    const size_t end = pairs - first < kPairsPerWord ? pairs : first + kPairsPerWord;
    uint64_t word = 0;
    for (size_t pair = first; pair < end; pair += 2) {
      const __m128i fit = small_values(load(pair), load(pair + 1));
      fitting = _mm_sub_epi64(fitting, fit);
      word |= static_cast<uint64_t>(_mm_movemask_pd(_mm_castsi128_pd(fit))) << (pair - first);
    }
    *words++ = word;
  }
  return round_up(pairs, 2) - static_cast<size_t>(sum_of_parts(fitting));
}

// For by_marked_rows: what the sums lack is added to the copy.
inline size_t look_at_row(const uint8_t* row, size_t lines, RowScale* scale, uint64_t* words) {
  add_lack(lack_of_lines(row, lines), scale);
  return words != nullptr ? mark_row(row, lines, words) : 0;
}

// Below, four columns after the other; what is needed once more is copied, and the last columns end in the row's own registers. Asm because GCC 12 spills wide tiles built from
// the intrinsics.
#define ERT_LINE(s, m, w, acc)                               \
  "movdqu " w ", %[t]\n\tpxor %[" s "], %[t]\n\tmovdqa %[" m \
  "], %[x]\n\tpmaddubsw %[t], %[x]\n\t"                      \
  "pmaddwd %[ones], %[x]\n\tpaddd %[x], %[" acc "]\n\t"
#define ERT_LAST_LINE(s, m, w) \
  "pxor " w ", %[" s "]\n\tpmaddubsw %[" s "], %[" m "]\n\tpmaddwd %[ones], %[" m "]\n\tpaddd %[" m "], %[a3]\n\t"
#define ERT_TWO_LINES(w0, w1, acc)                                                                      \
  "movdqu " w0 ", %[t]\n\tpxor %[s0], %[t]\n\tmovdqa %[m0], %[x]\n\tpmaddubsw %[t], %[x]\n\tmovdqu " w1 \
  ", %[t]\n\tpxor %[s1], %[t]\n\tmovdqa %[m1], %[y]\n\tpmaddubsw %[t], %[y]\n\t"                        \
  "paddw %[y], %[x]\n\tpmaddwd %[ones], %[x]\n\tpaddd %[x], %[" acc "]\n\t"
#define ERT_SPREAD                                                                         \
  "movdqu (%[row]), %[m1]\n\tpshufd $0x00, %[m1], %[s0]\n\tpshufd $0x55, %[m1], %[m0]\n\t" \
  "pshufd $0xaa, %[m1], %[s1]\n\tpshufd $0xff, %[m1], %[m1]\n\t"
#define ERT_SUMS [a0] "+x"(acc[0]), [a1] "+x"(acc[1]), [a2] "+x"(acc[2]), [a3] "+x"(acc[3])

// Two lines of one row whose products may be summed in int16.
inline __attribute__((always_inline)) void add_two_lines(__m128i (&acc)[4], const uint8_t* row, const int8_t* w, __m128i ones) {
  __m128i s0, m0, s1, m1, t, x, y;
  __asm__(ERT_SPREAD ERT_TWO_LINES("(%[w])", "64(%[w])", "a0") ERT_TWO_LINES("16(%[w])", "80(%[w])", "a1")
              ERT_TWO_LINES("32(%[w])", "96(%[w])", "a2") "pxor 48(%[w]), %[s0]\n\tpmaddubsw %[s0], %[m0]\n\t"
                                                          "pxor 112(%[w]), %[s1]\n\tpmaddubsw %[s1], %[m1]\n\tpaddw %[m1], %[m0]\n\t"
                                                          "pmaddwd %[ones], %[m0]\n\tpaddd %[m0], %[a3]"
          : ERT_SUMS, [s0] "=&x"(s0), [m0] "=&x"(m0), [s1] "=&x"(s1), [m1] "=&x"(m1), [t] "=&x"(t), [x] "=&x"(x), [y] "=&x"(y)
          : [row] "r"(row), [w] "r"(w), [ones] "x"(ones), "m"(*reinterpret_cast<const uint8_t(*)[2 * kRowLineBytes]>(row)),
            "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(w)));
}

// Two lines of one row, each on its own.
inline __attribute__((always_inline)) void add_each_line(__m128i (&acc)[4], const uint8_t* row, const int8_t* w, __m128i ones) {
  __m128i s0, m0, s1, m1, t, x;
  __asm__(ERT_SPREAD ERT_LINE("s0", "m0", "(%[w])", "a0") ERT_LINE("s0", "m0", "16(%[w])", "a1") ERT_LINE(
              "s0", "m0", "32(%[w])", "a2") ERT_LAST_LINE("s0", "m0", "48(%[w])") ERT_LINE("s1", "m1", "64(%[w])", "a0")
              ERT_LINE("s1", "m1", "80(%[w])", "a1") ERT_LINE("s1", "m1", "96(%[w])", "a2") ERT_LAST_LINE("s1", "m1", "112(%[w])")
          : ERT_SUMS, [s0] "=&x"(s0), [m0] "=&x"(m0), [s1] "=&x"(s1), [m1] "=&x"(m1), [t] "=&x"(t), [x] "=&x"(x)
          : [row] "r"(row), [w] "r"(w), [ones] "x"(ones), "m"(*reinterpret_cast<const uint8_t(*)[2 * kRowLineBytes]>(row)),
            "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(w)));
}

// One line of one row.
inline __attribute__((always_inline)) void add_line(__m128i (&acc)[4], const uint8_t* row, const int8_t* w, __m128i ones) {
  __m128i s0, m0, t, x;
  __asm__(
      "movq (%[row]), %[m0]\n\tpshufd $0x00, %[m0], %[s0]\n\tpshufd $0x55, %[m0], %[m0]\n\t" ERT_LINE("s0", "m0", "(%[w])", "a0")
          ERT_LINE("s0", "m0", "16(%[w])", "a1") ERT_LINE("s0", "m0", "32(%[w])", "a2") ERT_LAST_LINE("s0", "m0", "48(%[w])")
      : ERT_SUMS, [s0] "=&x"(s0), [m0] "=&x"(m0), [t] "=&x"(t), [x] "=&x"(x)
      : [row] "r"(row), [w] "r"(w), [ones] "x"(ones), "m"(*reinterpret_cast<const uint8_t(*)[kRowLineBytes]>(row)),
        "m"(*reinterpret_cast<const int8_t(*)[kLineBytes]>(w)));
}
#undef ERT_LINE
#undef ERT_LAST_LINE
#undef ERT_TWO_LINES
#undef ERT_SPREAD
#undef ERT_SUMS

// One number in all lanes, which the compiler cannot merge with others: accumulators that start as one value are copied in the loop.
inline __attribute__((always_inline)) __m128i all_lanes(int32_t start) {
  __m128i x;
  __asm__ volatile("movd %1, %0\n\tpshufd $0, %0, %0" : "=x"(x) : "r"(start));
  return x;
}

template <int kRows>
inline __attribute__((always_inline)) void clear(__m128i (&acc)[kRows][4]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) __asm__ volatile("pxor %0, %0" : "=x"(acc[r][j]));
  }
}

// Two lines: their products summed in int16 first, or each on its own.
template <int kRows, bool kPair>
inline __attribute__((always_inline)) void add_lines(__m128i (&acc)[kRows][4], const uint8_t* lhs, size_t row_bytes,
                                                     const int8_t* rhs, __m128i ones) {
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
    const uint8_t* row = lhs + r * row_bytes;
    kPair ? add_two_lines(acc[r], row, rhs, ones) : add_each_line(acc[r], row, rhs, ones);
  }
}

// The last of an odd number of lines.
template <int kRows>
inline __attribute__((always_inline)) void add_last_line(__m128i (&acc)[kRows][4], const uint8_t* lhs, size_t row_bytes,
                                                         const int8_t* rhs, __m128i ones) {
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) add_line(acc[r], lhs + r * row_bytes, rhs, ones);
}

}  // namespace
}  // namespace ert::kernels
