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

// The digits of weights of 4 k and 16 columns; *tops takes in a nonzero upper half of bytes where a weight has more than 12 bits.
inline __attribute__((always_inline)) void split_line(const int16x8_t (&a)[4], const int16x8_t (&b)[4], int8_t* digits, uint8x16_t* tops) {
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    const int8x16_t top = vuzp2q_s8(vreinterpretq_s8_s16(a[q]), vreinterpretq_s8_s16(b[q]));  // in [-8, 7] of 12 bits
    *tops = vorrq_u8(*tops, vreinterpretq_u8_s8(vaddq_s8(top, vdupq_n_s8(8))));
    const int32x4_t wa = vreinterpretq_s32_s16(a[q]), wb = vreinterpretq_s32_s16(b[q]);
    const SixBitDigits d = digits_of(vreinterpretq_s16_s32(vzip1q_s32(wa, wb)), vreinterpretq_s16_s32(vzip2q_s32(wa, wb)));
    vst1q_s8(digits + 16 * q, d.high);
    vst1q_s8(digits + 64 + 16 * q, d.low);
    vst1q_s8(digits + 128 + 16 * q, d.sum);
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
  return vmaxvq_u8(tops) < 16;
}

}  // namespace
}  // namespace ert::kernels
