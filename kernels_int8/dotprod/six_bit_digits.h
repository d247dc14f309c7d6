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

// The digits of weights of 4 k and 16 columns, of 12 bits: x = 64 * high + low with high in [-32, 31] and low in [0, 63], which takes fewer instructions than a signed one.
// *tops takes in upper bits where a weight has more than 12.
inline __attribute__((always_inline)) void split_line(const int16x8_t (&a)[4], const int16x8_t (&b)[4], int8_t* digits, uint8x16_t* tops) {
#pragma GCC unroll 2
  for (int q = 0; q < 4; q += 2) {
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
    const int8x16_t high[2] = {vreinterpretq_s8_s16(vzip1q_s16(ha, hb)), vreinterpretq_s8_s16(vzip2q_s16(ha, hb))};
    const int8x16_t lows[2] = {vreinterpretq_s8_s16(vzip1q_s16(la, lb)), vreinterpretq_s8_s16(vzip2q_s16(la, lb))};
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      vst1q_s8(digits + 16 * (q + i), high[i]);
      vst1q_s8(digits + 64 + 16 * (q + i), lows[i]);
      vst1q_s8(digits + 128 + 16 * (q + i), vaddq_s8(high[i], lows[i]));
    }
  }
}

// Of a piece's weights from N16K2. What stands behind the last of an odd number becomes zero. False where a weight has more than 12 bits.
inline bool split_weights(const int16_t* weights, size_t n, int8_t* digits) {
  uint8x16_t tops = vdupq_n_u8(0);
  int16x8_t a[4], b[4];
  for (; n >= 4; n -= 4, weights += 64, digits += kLineOfDigits) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) a[q] = vld1q_s16(weights + 8 * q), b[q] = vld1q_s16(weights + 32 + 8 * q);
    split_line(a, b, digits, &tops);
  }
  if (n != 0) {
    const int16x8_t first_of_pairs = vreinterpretq_s16_u32(vdupq_n_u32(0xffff)), none = vdupq_n_s16(0);
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      a[q] = vld1q_s16(weights + 8 * q);
      if (n == 1) a[q] = vandq_s16(a[q], first_of_pairs);
      b[q] = n == 3 ? vandq_s16(vld1q_s16(weights + 32 + 8 * q), first_of_pairs) : none;
    }
    split_line(a, b, digits, &tops);
  }
  return vmaxvq_u8(tops) < 64;
}

}  // namespace
}  // namespace ert::kernels
