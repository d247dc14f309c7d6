// Values of 13 and weights of 12 bits as two digits of six bits and their sum, for sdot. Internal linkage.
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {
namespace {

constexpr size_t kLineOfDigits = 3 * 64;  // of 4 k: high digits, low ones, sums; 16 columns each, as in N16K4
constexpr int kDigitBits = 6;

// x = 64 * high + low with low in [-32, 31]; of x in [-4096, 4095] high is in [-64, 64] and sum = high + low in [-96, 95].
struct SixBitDigits {
  int8x16_t high, low, sum;
};
inline __attribute__((always_inline)) SixBitDigits digits_of(int16x8_t first, int16x8_t second) {
  const int8x16_t high = vuzp1q_s8(vreinterpretq_s8_s16(vrshrq_n_s16(first, kDigitBits)), vreinterpretq_s8_s16(vrshrq_n_s16(second, kDigitBits)));
  const int8x16_t bytes = vuzp1q_s8(vreinterpretq_s8_s16(first), vreinterpretq_s8_s16(second));
  const int8x16_t low = vsubq_s8(bytes, vshlq_n_s8(high, kDigitBits));
  return {high, low, vaddq_s8(high, low)};
}

// The last fewer than eight values, and zeros.
inline __attribute__((always_inline)) int16x8_t last_values(const int16_t* p, size_t n) {
  int16_t copy[8] = {};
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) copy[i] = p[i];
  return vld1q_s16(copy);
}

// The digits of weights of 4 k and 16 columns, of 12 bits: x = 64 * high + low with high in [-32, 31] and low in [0, 63], which takes fewer instructions than a signed one.
// d[0], d[1], d[2]: high digits, low ones, their sums, of quads q and q + 1 of four columns. *tops takes in upper bits where a weight has more than 12.
struct QuadsOfDigits {
  int8x16_t d[3][2];
};
inline __attribute__((always_inline)) QuadsOfDigits split_quads(const int16x8_t (&a)[4], const int16x8_t (&b)[4], int q, uint8x16_t* tops) {
  const int8x16_t high_a = vqshrn_high_n_s16(vqshrn_n_s16(a[q], kDigitBits), a[q + 1], kDigitBits);
  const int8x16_t high_b = vqshrn_high_n_s16(vqshrn_n_s16(b[q], kDigitBits), b[q + 1], kDigitBits);
  *tops = vorrq_u8(*tops, vreinterpretq_u8_s8(vaddq_s8(high_a, vdupq_n_s8(32))));
  *tops = vorrq_u8(*tops, vreinterpretq_u8_s8(vaddq_s8(high_b, vdupq_n_s8(32))));
  const int8x16_t low = vdupq_n_s8(63);
  const int8x16_t low_a = vandq_s8(vuzp1q_s8(vreinterpretq_s8_s16(a[q]), vreinterpretq_s8_s16(a[q + 1])), low);
  const int8x16_t low_b = vandq_s8(vuzp1q_s8(vreinterpretq_s8_s16(b[q]), vreinterpretq_s8_s16(b[q + 1])), low);
  // Two k of a column beside the next two.
  const int16x8_t ha = vreinterpretq_s16_s8(high_a), hb = vreinterpretq_s16_s8(high_b);
  const int16x8_t la = vreinterpretq_s16_s8(low_a), lb = vreinterpretq_s16_s8(low_b);
  QuadsOfDigits of = {{{vreinterpretq_s8_s16(vzip1q_s16(ha, hb)), vreinterpretq_s8_s16(vzip2q_s16(ha, hb))},
                       {vreinterpretq_s8_s16(vzip1q_s16(la, lb)), vreinterpretq_s8_s16(vzip2q_s16(la, lb))},
                       {}}};
  of.d[2][0] = vaddq_s8(of.d[0][0], of.d[1][0]);
  of.d[2][1] = vaddq_s8(of.d[0][1], of.d[1][1]);
  return of;
}

inline __attribute__((always_inline)) void split_line(const int16x8_t (&a)[4], const int16x8_t (&b)[4], int8_t* digits, uint8x16_t* tops) {
#pragma GCC unroll 2
  for (int q = 0; q < 4; q += 2) {
    const QuadsOfDigits of = split_quads(a, b, q, tops);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 3
      for (int kind = 0; kind < 3; ++kind) vst1q_s8(digits + 64 * kind + 16 * (q + i), of.d[kind][i]);
    }
  }
}

// The weights of at most 4 k, from N16K2: a[q], b[q] have the first and the second two k of columns 4q .. 4q + 3. Zero is what stands behind the last of them.
inline __attribute__((always_inline)) void load_line(const int16_t* weights, size_t n, int16x8_t (&a)[4], int16x8_t (&b)[4]) {
  const int16x8_t first_of_pairs = vreinterpretq_s16_u32(vdupq_n_u32(0xffff)), none = vdupq_n_s16(0);
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    a[q] = n == 0 ? none : vld1q_s16(weights + 8 * q);
    if (n == 1) a[q] = vandq_s16(a[q], first_of_pairs);
    b[q] = n < 3 ? none : vld1q_s16(weights + 32 + 8 * q);
    if (n == 3) b[q] = vandq_s16(b[q], first_of_pairs);
  }
}

// Of a piece's weights from N16K2. What stands behind the last of an odd number becomes zero. False where a weight has more than 12 bits.
inline bool split_weights(const int16_t* weights, size_t n, int8_t* digits) {
  uint8x16_t tops = vdupq_n_u8(0);
  int16x8_t a[4], b[4];
  for (; n >= 4; n -= 4, weights += 64, digits += kLineOfDigits) {
    load_line(weights, 4, a, b);
    split_line(a, b, digits, &tops);
  }
  if (n != 0) {
    load_line(weights, n, a, b);
    split_line(a, b, digits, &tops);
  }
  return vmaxvq_u8(tops) < 64;
}

}  // namespace
}  // namespace ert::kernels
