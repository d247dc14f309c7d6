// The integer inner loop of W8A8 on AVX2: rows of bytes times int8 weights of layout N16K4, exact although maddubs saturates.
//
// A row holds a = q - 128, in [-128, 127], as four bytes a of one line of weights and then four bytes |a|, 8 bytes for 4 k. With the sign of a
// moved to the weight, a * w = |a| * (w with the sign of a), and two such products are at most 2 * 128 * 127 = 32512: they fit int16. Sums of
// two lines fit where the four weights of each int16 lane have magnitudes that sum up to at most 255, as 128 * 255 < 2^15. Weights that a
// training left are almost always such: pair_fits finds out, the other lines go one by one.
//
// Everything here has internal linkage.
#pragma once

#if !defined(__AVX2__)
#error "build with -mavx2"
#endif

#include <immintrin.h>
#include <stdint.h>

#include "kernels_int8/loops/line_pairs.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __m256i load_bytes(const int8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// int16 ones that the compiler keeps in a register.
inline __attribute__((always_inline)) __m256i ones16() {
  __m256i x;
  __asm__ volatile("vpcmpeqw %0, %0, %0\n\tvpsrlw $15, %0, %0" : "=x"(x));
  return x;
}

// Zero that the compiler cannot merge with other zeros: accumulators that start as one value are copied in the loop.
inline __attribute__((always_inline)) __m256i zero() {
  __m256i x;
  __asm__ volatile("vpxor %0, %0, %0" : "=x"(x));
  return x;
}

// Whether the products of a line and the next may be summed in int16.
inline __attribute__((always_inline)) bool pair_fits(const int8_t* lines) {
  const __m256i ones = _mm256_set1_epi8(1);
  // Magnitudes are at most 127: two of them fit a byte.
  const __m256i low = _mm256_add_epi8(_mm256_abs_epi8(load_bytes(lines)), _mm256_abs_epi8(load_bytes(lines + 64)));
  const __m256i high = _mm256_add_epi8(_mm256_abs_epi8(load_bytes(lines + 32)), _mm256_abs_epi8(load_bytes(lines + 96)));
  const __m256i sums = _mm256_or_si256(_mm256_maddubs_epi16(low, ones), _mm256_maddubs_epi16(high, ones));
  return _mm256_testz_si256(sums, _mm256_set1_epi16(static_cast<int16_t>(0xff00))) != 0;  // none above 255
}

// One line of one row, 16 columns. Written as asm because GCC 12 spills wide tiles built from the intrinsics.
inline __attribute__((always_inline)) void add_line(__m256i (&acc)[2], const uint8_t* row, __m256i w0, __m256i w1, __m256i ones) {
  __m256i a, magnitude, t, u;
  __asm__(
      "vpbroadcastd (%[row]), %[a]\n\t"
      "vpbroadcastd 4(%[row]), %[m]\n\t"
      "vpsignb %[a], %[w0], %[t]\n\t"
      "vpsignb %[a], %[w1], %[u]\n\t"
      "vpmaddubsw %[t], %[m], %[t]\n\t"
      "vpmaddubsw %[u], %[m], %[u]\n\t"
      "vpmaddwd %[t], %[ones], %[t]\n\t"
      "vpaddd %[t], %[acc0], %[acc0]\n\t"
      "vpmaddwd %[u], %[ones], %[u]\n\t"
      "vpaddd %[u], %[acc1], %[acc1]"
      : [acc0] "+x"(acc[0]), [acc1] "+x"(acc[1]), [t] "=&x"(t), [u] "=&x"(u), [a] "=&x"(a), [m] "=&x"(magnitude)
      : [row] "r"(row), [w0] "x"(w0), [w1] "x"(w1), [ones] "x"(ones),
        "m"(*reinterpret_cast<const uint8_t(*)[kRowLineBytes]>(row)));
}

// Two lines of one row whose products may be summed in int16; w0, w1: the first line.
inline __attribute__((always_inline)) void add_two_lines(__m256i (&acc)[2], const uint8_t* row, const int8_t* lines, __m256i w0,
                                                         __m256i w1, __m256i ones) {
  __m256i a, magnitude, t, u, v;
  __asm__(
      "vpbroadcastd (%[row]), %[a]\n\t"
      "vpbroadcastd 4(%[row]), %[m]\n\t"
      "vpsignb %[a], %[w0], %[t]\n\t"
      "vpsignb %[a], %[w1], %[u]\n\t"
      "vpmaddubsw %[t], %[m], %[t]\n\t"
      "vpmaddubsw %[u], %[m], %[u]\n\t"
      "vpbroadcastd 8(%[row]), %[a]\n\t"
      "vpbroadcastd 12(%[row]), %[m]\n\t"
      "vmovdqu 64(%[lines]), %[v]\n\t"
      "vpsignb %[a], %[v], %[v]\n\t"
      "vpmaddubsw %[v], %[m], %[v]\n\t"
      "vpaddw %[v], %[t], %[t]\n\t"
      "vmovdqu 96(%[lines]), %[v]\n\t"
      "vpsignb %[a], %[v], %[v]\n\t"
      "vpmaddubsw %[v], %[m], %[v]\n\t"
      "vpaddw %[v], %[u], %[u]\n\t"
      "vpmaddwd %[t], %[ones], %[t]\n\t"
      "vpaddd %[t], %[acc0], %[acc0]\n\t"
      "vpmaddwd %[u], %[ones], %[u]\n\t"
      "vpaddd %[u], %[acc1], %[acc1]"
      : [acc0] "+x"(acc[0]), [acc1] "+x"(acc[1]), [t] "=&x"(t), [u] "=&x"(u), [v] "=&x"(v), [a] "=&x"(a), [m] "=&x"(magnitude)
      : [row] "r"(row), [lines] "r"(lines), [w0] "x"(w0), [w1] "x"(w1), [ones] "x"(ones),
        "m"(*reinterpret_cast<const uint8_t(*)[2 * kRowLineBytes]>(row)),
        "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(lines)));
}

}  // namespace
}  // namespace ert::kernels
