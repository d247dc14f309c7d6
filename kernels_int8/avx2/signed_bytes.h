// The integer inner loop of W8A8 on AVX2: rows of bytes times int8 weights of layout N16K4, exact although maddubs saturates.
//
// A row holds a = q - 128, in [-128, 127], for each line of weights as four bytes s, -1 where a is negative and otherwise 0, and four bytes |a|:
// 8 bytes for 4 k. |a| * (w ^ s) is a * w, less |a| where a is negative, because w ^ -1 = -w - 1. What the sums of a row lack so is the same
// for all columns; they start with it. (To take the sign itself, vpsignb, keeps the pipes of the products busy on many cores and wants the
// weights in a register.)
//
// Two such products lie in [2 * 128 * -128, 2 * 128 * 127]: they fit int16. Sums of two lines fit where the four weights of each int16 lane have
// magnitudes that sum up to at most 252, as 128 * (252 + 4) = 2^15, which is the least int16. Weights that a training left are almost always
// such, or the values of a row are small: line_pairs.h marks them, the other lines go one by one.
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

// The same in all lanes, which the compiler cannot merge with others: accumulators that start as one value are copied in the loop.
inline __attribute__((always_inline)) __m256i all_lanes(int32_t start) {
  __m256i x;
  __asm__ volatile("vmovd %1, %x0\n\tvpbroadcastd %x0, %0" : "=x"(x) : "r"(start));
  return x;
}

// Adds what sums of four lines lack, in 64-bit parts.
inline __attribute__((always_inline)) __m256i with_lack(__m256i sum, __m256i lines) {
  const __m256i of_negative = _mm256_and_si256(lines, _mm256_slli_epi64(lines, 32));  // the signs come to the magnitudes
  return _mm256_add_epi64(sum, _mm256_sad_epu8(of_negative, _mm256_setzero_si256()));
}

// Of eight lines: bit i for the pair i whose magnitudes sum up to at most kMostOfFour in each lane.
inline __attribute__((always_inline)) unsigned small_pairs(__m256i x, __m256i y) {
  const __m256i of_magnitudes = _mm256_set1_epi64x(0x0101010100000000);
  const __m256i u = _mm256_maddubs_epi16(x, of_magnitudes), v = _mm256_maddubs_epi16(y, of_magnitudes);
  // Pairs 0, 2, 1, 3.
  const __m256i sums = _mm256_add_epi16(_mm256_unpacklo_epi64(u, v), _mm256_unpackhi_epi64(u, v));
  const __m256i above = _mm256_cmpgt_epi16(_mm256_permute4x64_epi64(sums, 0xd8), _mm256_set1_epi16(kMostOfFour));
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(above, _mm256_setzero_si256()))));
}

// The first `lines` of four, of the others zeros.
inline __attribute__((always_inline)) __m256i load_lines(const uint8_t* row, size_t lines) {
  if (lines >= 4) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
  const __m256i live = _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(lines)), _mm256_setr_epi64x(0, 1, 2, 3));
  return _mm256_maskload_epi64(reinterpret_cast<const long long*>(row), live);
}

// For by_marked_rows: what the sums lack is added to the copy.
inline size_t look_at_row(const uint8_t* row, size_t lines, RowScale* scale, uint64_t* words) {
  __m256i lack = _mm256_setzero_si256();
  size_t not_marked = 0;
  if (words == nullptr) {
    size_t line = 0;
    for (; line + 4 <= lines; line += 4) lack = with_lack(lack, load_lines(row + line * kRowLineBytes, 4));
    if (line < lines) lack = with_lack(lack, load_lines(row + line * kRowLineBytes, lines - line));
  } else {
    for (size_t line = 0; line < lines; ++words) {
      *words = 0;
      for (size_t shift = 0; shift < kPairsPerWord && line < lines; shift += 4, line += 8) {
        const __m256i x = load_lines(row + line * kRowLineBytes, lines - line);
        const __m256i y = lines - line > 4 ? load_lines(row + (line + 4) * kRowLineBytes, lines - line - 4) : _mm256_setzero_si256();
        lack = with_lack(with_lack(lack, x), y);
        const unsigned small = small_pairs(x, y);  // pairs that are not there are
        not_marked += static_cast<size_t>(__builtin_popcount(~small & 15));
        *words |= static_cast<uint64_t>(small) << shift;
      }
    }
  }
  const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(lack), _mm256_extracti128_si256(lack, 1));
  add_lack(_mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))), scale);
  return not_marked;
}

// Of a line of a panel and the next: the largest sums of magnitudes of four weights that meet in an int16 lane.
inline __attribute__((always_inline)) __m256i largest_sums(const int8_t* lines) {
  const __m256i ones = _mm256_set1_epi8(1);
  // Magnitudes are at most 127: two of them fit a byte.
  const __m256i low = _mm256_add_epi8(_mm256_abs_epi8(load_bytes(lines)), _mm256_abs_epi8(load_bytes(lines + 64)));
  const __m256i high = _mm256_add_epi8(_mm256_abs_epi8(load_bytes(lines + 32)), _mm256_abs_epi8(load_bytes(lines + 96)));
  return _mm256_max_epi16(_mm256_maddubs_epi16(low, ones), _mm256_maddubs_epi16(high, ones));
}

inline __attribute__((always_inline)) bool none_above_252(__m256i sums) {
  const __m256i more = _mm256_add_epi16(sums, _mm256_set1_epi16(3));  // above 252 are those that then need a ninth bit
  return _mm256_testz_si256(more, _mm256_set1_epi16(static_cast<int16_t>(0xff00))) != 0;
}

// The body of add_line: `take_sign` gives weights the signs that the row holds. Asm because GCC 12 spills wide tiles built from the intrinsics.
#define ERT_ADD_LINE(take_sign)                                                                                              \
  __m256i s, magnitude, t, u;                                                                                                \
  __asm__("vpbroadcastd (%[row]), %[s]\n\t"                                                                                  \
          "vpbroadcastd 4(%[row]), %[m]\n\t" take_sign " %[s], %[w0], %[t]\n\t" take_sign                                    \
          " %[s], %[w1], %[u]\n\t"                                                                                           \
          "vpmaddubsw %[t], %[m], %[t]\n\t"                                                                                  \
          "vpmaddubsw %[u], %[m], %[u]\n\t"                                                                                  \
          "vpmaddwd %[t], %[ones], %[t]\n\t"                                                                                 \
          "vpaddd %[t], %[acc0], %[acc0]\n\t"                                                                                \
          "vpmaddwd %[u], %[ones], %[u]\n\t"                                                                                 \
          "vpaddd %[u], %[acc1], %[acc1]"                                                                                    \
          : [acc0] "+x"(acc[0]), [acc1] "+x"(acc[1]), [t] "=&x"(t), [u] "=&x"(u), [s] "=&x"(s), [m] "=&x"(magnitude)          \
          : [row] "r"(row), [w0] "x"(w0), [w1] "x"(w1), [ones] "x"(ones), "m"(*reinterpret_cast<const uint8_t(*)[kRowLineBytes]>(row)))

// One line of one row, 16 columns.
inline __attribute__((always_inline)) void add_line(__m256i (&acc)[2], const uint8_t* row, __m256i w0, __m256i w1, __m256i ones) {
  ERT_ADD_LINE("vpxor");
}

// Two lines of one row whose products may be summed in int16; w0, w1: the first line.
inline __attribute__((always_inline)) void add_two_lines(__m256i (&acc)[2], const uint8_t* row, const int8_t* lines, __m256i w0,
                                                         __m256i w1, __m256i ones) {
  __m256i s, magnitude, t, u, v;
  __asm__(
      "vpbroadcastd (%[row]), %[s]\n\t"
      "vpbroadcastd 4(%[row]), %[m]\n\t"
      "vpxor %[s], %[w0], %[t]\n\t"
      "vpxor %[s], %[w1], %[u]\n\t"
      "vpmaddubsw %[t], %[m], %[t]\n\t"
      "vpmaddubsw %[u], %[m], %[u]\n\t"
      "vpbroadcastd 8(%[row]), %[s]\n\t"
      "vpbroadcastd 12(%[row]), %[m]\n\t"
      "vpxor 64(%[lines]), %[s], %[v]\n\t"
      "vpmaddubsw %[v], %[m], %[v]\n\t"
      "vpaddw %[v], %[t], %[t]\n\t"
      "vpxor 96(%[lines]), %[s], %[v]\n\t"
      "vpmaddubsw %[v], %[m], %[v]\n\t"
      "vpaddw %[v], %[u], %[u]\n\t"
      "vpmaddwd %[t], %[ones], %[t]\n\t"
      "vpaddd %[t], %[acc0], %[acc0]\n\t"
      "vpmaddwd %[u], %[ones], %[u]\n\t"
      "vpaddd %[u], %[acc1], %[acc1]"
      : [acc0] "+x"(acc[0]), [acc1] "+x"(acc[1]), [t] "=&x"(t), [u] "=&x"(u), [v] "=&x"(v), [s] "=&x"(s), [m] "=&x"(magnitude)
      : [row] "r"(row), [lines] "r"(lines), [w0] "x"(w0), [w1] "x"(w1), [ones] "x"(ones),
        "m"(*reinterpret_cast<const uint8_t(*)[2 * kRowLineBytes]>(row)),
        "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(lines)));
}

// Eight columns of two lines whose products may be summed in int16; s0 and m0 are of the row's first line.
#define ERT_TWO_LINES(line0, line1, acc)                                                        \
  "vpxor " line0 ", %[s0], %[t]\n\tvpxor " line1                                                \
  ", %[s1], %[u]\n\t"                                                                           \
  "vpmaddubsw %[t], %[m0], %[t]\n\tvpmaddubsw %[u], %[m1], %[u]\n\tvpaddw %[u], %[t], %[t]\n\t" \
  "vpmaddwd %[t], %[ones], %[t]\n\tvpaddd %[t], %[" acc "], %[" acc "]\n\t"

// Two such lines of one row and of two panels: fewer broadcasts for each product, and weights straight from memory.
inline __attribute__((always_inline)) void add_two_lines_of_panels(__m256i (&acc)[4], const uint8_t* row, const int8_t* lines,
                                                                   size_t panel_bytes, __m256i ones) {
  __m256i s0, m0, s1, m1, t, u;
  __asm__(
      "vpbroadcastd (%[row]), %[s0]\n\t"
      "vpbroadcastd 4(%[row]), %[m0]\n\t"
      "vpbroadcastd 8(%[row]), %[s1]\n\t"
      "vpbroadcastd 12(%[row]), %[m1]\n\t" ERT_TWO_LINES("(%[w])", "64(%[w])", "a0") ERT_TWO_LINES("32(%[w])", "96(%[w])", "a1")
          ERT_TWO_LINES("(%[w],%[next])", "64(%[w],%[next])", "a2") ERT_TWO_LINES("32(%[w],%[next])", "96(%[w],%[next])", "a3")
      : [a0] "+x"(acc[0]), [a1] "+x"(acc[1]), [a2] "+x"(acc[2]), [a3] "+x"(acc[3]), [s0] "=&x"(s0), [m0] "=&x"(m0),
        [s1] "=&x"(s1), [m1] "=&x"(m1), [t] "=&x"(t), [u] "=&x"(u)
      : [row] "r"(row), [w] "r"(lines), [next] "r"(panel_bytes), [ones] "x"(ones),
        "m"(*reinterpret_cast<const uint8_t(*)[2 * kRowLineBytes]>(row)),
        "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(lines)),
        "m"(*reinterpret_cast<const int8_t(*)[2 * kLineBytes]>(lines + panel_bytes)));
}
#undef ERT_TWO_LINES

#define ERT_LINE(line, acc)                                                                \
  "vpxor " line                                                                            \
  ", %[s], %[t]\n\tvpmaddubsw %[t], %[m], %[t]\n\tvpmaddwd %[t], %[ones], %[t]\n\tvpaddd " \
  "%[t], %[" acc "], %[" acc "]\n\t"

// One line of one row and of two panels.
inline __attribute__((always_inline)) void add_line_of_panels(__m256i (&acc)[4], const uint8_t* row, const int8_t* line,
                                                              size_t panel_bytes, __m256i ones) {
  __m256i s, m, t;
  __asm__(
      "vpbroadcastd (%[row]), %[s]\n\t"
      "vpbroadcastd 4(%[row]), %[m]\n\t" ERT_LINE("(%[w])", "a0") ERT_LINE("32(%[w])", "a1") ERT_LINE("(%[w],%[next])", "a2")
          ERT_LINE("32(%[w],%[next])", "a3")
      : [a0] "+x"(acc[0]), [a1] "+x"(acc[1]), [a2] "+x"(acc[2]), [a3] "+x"(acc[3]), [s] "=&x"(s), [m] "=&x"(m), [t] "=&x"(t)
      : [row] "r"(row), [w] "r"(line), [next] "r"(panel_bytes), [ones] "x"(ones),
        "m"(*reinterpret_cast<const uint8_t(*)[kRowLineBytes]>(row)), "m"(*reinterpret_cast<const int8_t(*)[kLineBytes]>(line)),
        "m"(*reinterpret_cast<const int8_t(*)[kLineBytes]>(line + panel_bytes)));
}
#undef ERT_LINE

}  // namespace
}  // namespace ert::kernels
