// The integer inner loop of W8A8 on SSE4.1: rows of bytes and their magnitudes times int8 weights of layout N16K4, exact although maddubs
// saturates. A row holds a = q - 128, in [-128, 127], as four bytes a of one line of weights and then four bytes |a|: sixteen bytes are two lines.
// With the sign of a moved to the weight, a * w = |a| * (w with the sign of a), and two such products are at most 2 * 128 * 127 = 32512: they fit
// int16. Sums of two lines fit where the four values that meet in an int16 lane are small, or where the four weights have magnitudes that sum up to at
// most 255, as 128 * 255 < 2^15. (The xor of avx2/signed_bytes.h was no faster here: copies of operands take as long as the pipes of the products.)
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

// Whether the products of a line and the next may be summed in int16: the four weights of each lane have magnitudes that sum up to at most 255.
inline __attribute__((always_inline)) bool pair_fits(const int8_t* lines) {
  __m128i sums = _mm_setzero_si128();
#pragma GCC unroll 16
  for (size_t j = 0; j < kLineBytes; j += 16) {
    // Magnitudes are at most 127: two of them fit a byte.
    const __m128i two = _mm_add_epi8(_mm_abs_epi8(load_bytes(lines + j)), _mm_abs_epi8(load_bytes(lines + kLineBytes + j)));
    sums = _mm_or_si128(sums, _mm_maddubs_epi16(two, _mm_set1_epi8(1)));
  }
  return _mm_testz_si128(sums, _mm_set1_epi16(static_cast<int16_t>(0xff00))) != 0;
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
  if (words == nullptr) return 0;
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
  return round_up(pairs, 2) - static_cast<size_t>(_mm_cvtsi128_si32(_mm_add_epi64(fitting, _mm_unpackhi_epi64(fitting, fitting))));
}

// Four columns of one line. Written as asm because GCC 12 spills wide tiles built from the intrinsics.
inline __attribute__((always_inline)) void add_line(__m128i& acc, __m128i a, __m128i magnitude, const int8_t* w, __m128i ones) {
  __m128i t, x;
  __asm__(
      "movdqu %[w], %[t]\n\t"
      "psignb %[a], %[t]\n\t"
      "movdqa %[m], %[x]\n\t"
      "pmaddubsw %[t], %[x]\n\t"
      "pmaddwd %[ones], %[x]\n\t"
      "paddd %[x], %[acc]"
      : [acc] "+x"(acc), [t] "=&x"(t), [x] "=&x"(x)
      : [w] "m"(*reinterpret_cast<const int8_t(*)[16]>(w)), [a] "x"(a), [m] "x"(magnitude), [ones] "x"(ones));
}

// Four columns of two lines whose products may be summed in int16.
inline __attribute__((always_inline)) void add_two_lines(__m128i& acc, const __m128i (&a)[2], const __m128i (&magnitude)[2],
                                                         const int8_t* w, __m128i ones) {
  __m128i t, x, y;
  __asm__(
      "movdqu %[w0], %[t]\n\t"
      "psignb %[a0], %[t]\n\t"
      "movdqa %[m0], %[x]\n\t"
      "pmaddubsw %[t], %[x]\n\t"
      "movdqu %[w1], %[t]\n\t"
      "psignb %[a1], %[t]\n\t"
      "movdqa %[m1], %[y]\n\t"
      "pmaddubsw %[t], %[y]\n\t"
      "paddw %[y], %[x]\n\t"
      "pmaddwd %[ones], %[x]\n\t"
      "paddd %[x], %[acc]"
      : [acc] "+x"(acc), [t] "=&x"(t), [x] "=&x"(x), [y] "=&x"(y)
      : [w0] "m"(*reinterpret_cast<const int8_t(*)[16]>(w)), [w1] "m"(*reinterpret_cast<const int8_t(*)[16]>(w + kLineBytes)),
        [a0] "x"(a[0]), [m0] "x"(magnitude[0]), [a1] "x"(a[1]), [m1] "x"(magnitude[1]), [ones] "x"(ones));
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
  for (int r = 0; r < kRows; ++r) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lhs + static_cast<size_t>(r) * row_bytes));
    const __m128i a[2] = {_mm_shuffle_epi32(bytes, 0x00), _mm_shuffle_epi32(bytes, 0xaa)};
    const __m128i magnitude[2] = {_mm_shuffle_epi32(bytes, 0x55), _mm_shuffle_epi32(bytes, 0xff)};
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
      if constexpr (kPair) {
        add_two_lines(acc[r][j], a, magnitude, rhs + 16 * j, ones);
      } else {
        add_line(acc[r][j], a[0], magnitude[0], rhs + 16 * j, ones);
        add_line(acc[r][j], a[1], magnitude[1], rhs + kLineBytes + 16 * j, ones);
      }
    }
  }
}

// The last of an odd number of lines.
template <int kRows>
inline __attribute__((always_inline)) void add_last_line(__m128i (&acc)[kRows][4], const uint8_t* lhs, size_t row_bytes,
                                                         const int8_t* rhs, __m128i ones) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lhs + static_cast<size_t>(r) * row_bytes));
    const __m128i a = _mm_shuffle_epi32(bytes, 0x00), magnitude = _mm_shuffle_epi32(bytes, 0x55);
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) add_line(acc[r][j], a, magnitude, rhs + 16 * j, ones);
  }
}

}  // namespace
}  // namespace ert::kernels
