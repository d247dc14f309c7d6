// What simd/quantize16.h needs, on NEON: the largest values of a row, and 16 values to integers. Internal linkage.
#pragma once

#include "kernels_int8/neon/lanes16_neon.h"

namespace ert::kernels {
namespace {

constexpr size_t kRowBytesPerValue = 1;

// The instructions' own maximum and minimum give NaN where one side is.
ERT_LANES Lanes maximum(Lanes a, Lanes b) {
  return {vmaxq_f32(a.q0, b.q0), vmaxq_f32(a.q1, b.q1), vmaxq_f32(a.q2, b.q2), vmaxq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes minimum(Lanes a, Lanes b) {
  return {vminq_f32(a.q0, b.q0), vminq_f32(a.q1, b.q1), vminq_f32(a.q2, b.q2), vminq_f32(a.q3, b.q3)};
}
ERT_LANES float greatest(Lanes a) { return largest(a); }
ERT_LANES float smallest(Lanes a) { return smallest_of(vminq_f32(vminq_f32(a.q0, a.q2), vminq_f32(a.q1, a.q3))); }

// 16 integers that fit int16.
struct Integers {
  int16x8_t low, high;
};
// The sum with kRoundMagic has the nearest integer in its low bits. Conversions take one pipeline of out-of-order cores twice as long.
ERT_LANES int16x4_t rounded4(float32x4_t y) {
  return vmovn_s32(vreinterpretq_s32_f32(vaddq_f32(y, vdupq_n_f32(kRoundMagic))));
}
ERT_LANES Integers rounded(Lanes y) {
  return {vcombine_s16(rounded4(y.q0), rounded4(y.q1)), vcombine_s16(rounded4(y.q2), rounded4(y.q3))};
}
// Clamped to [-128, 127].
ERT_LANES int8x16_t bytes_of(Integers q) { return vcombine_s8(vqmovn_s16(q.low), vqmovn_s16(q.high)); }

// Of integers that fit a byte: one instruction on AArch64.
ERT_LANES int8x16_t low_bytes(Integers q) { return vuzpq_s8(vreinterpretq_s8_s16(q.low), vreinterpretq_s8_s16(q.high)).val[0]; }

// q = 128 * hi + lo with lo in [-64, 63]; |q| <= 16256.
struct Digits {
  int8x16_t hi, lo;
};
ERT_LANES Digits digits_of(Integers q) {
  const Integers hi = {vrshrq_n_s16(q.low, 7), vrshrq_n_s16(q.high, 7)};
  const Integers lo = {vsubq_s16(q.low, vshlq_n_s16(hi.low, 7)), vsubq_s16(q.high, vshlq_n_s16(hi.high, 7))};
  return {low_bytes(hi), low_bytes(lo)};
}

#ifdef __aarch64__
ERT_LANES int32_t nearest_integer(float x) { return vcvtns_s32_f32(x); }
#else
ERT_LANES int32_t nearest_integer(float x) { return vgetq_lane_s32(nearest(vdupq_n_f32(x)), 0); }
#endif
ERT_LANES Integers rounded(Lanes y, int32_t offset) {
  const Integers q = rounded(y);
  const int16x8_t by = vdupq_n_s16(static_cast<int16_t>(offset));
  return {vaddq_s16(q.low, by), vaddq_s16(q.high, by)};
}
ERT_LANES void store_bytes(int8_t* dst, Lanes y, int32_t offset) { vst1q_s8(dst, bytes_of(rounded(y, offset))); }
ERT_LANES void store_digits(int8_t* hi, int8_t* lo, Lanes y) {
  const Digits d = digits_of(rounded(y));
  vst1q_s8(hi, d.hi);
  vst1q_s8(lo, d.lo);
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/quantize16.h"
