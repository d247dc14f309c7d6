// Sixteen fp32 lanes on NEON: four registers, lanes 0..3 in q0. The operations that simd/*.h are written in; see lanes16_avx2.h
// for another form. The same for AArch64 and ARMv7 but for what neon/arch.h holds. Internal linkage: included by translation
// units with different flags.
#pragma once

#include "kernels_int8/neon/arch.h"
#include "kernels_int8/simd/lanes16_four.h"

namespace ert::kernels {
namespace {

constexpr bool kPredicatedAccess = false;
#define ERT_TWO_NORM_ROWS  // simd/rowops16.h

struct Mask {
  uint32x4_t q0, q1, q2, q3;
};

// The first count < 16 lanes; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) {
  float copy[16] = {};
  memcpy(copy, p, count * sizeof(float));
  return load(copy);
}
ERT_LANES void store_first(float* p, Lanes a, size_t count) {
  float copy[16];
  store(copy, a);
  memcpy(p, copy, count * sizeof(float));
}
ERT_LANES Mask first_lanes(size_t count) {
  const uint32_t first_four[4] = {0, 1, 2, 3};
  const uint32x4_t index = vld1q_u32(first_four);
  const uint32x4_t n = vdupq_n_u32(static_cast<uint32_t>(count));
  const uint32x4_t four = vdupq_n_u32(4), eight = vdupq_n_u32(8), twelve = vdupq_n_u32(12);
  return {vcltq_u32(index, n), vcltq_u32(vaddq_u32(index, four), n), vcltq_u32(vaddq_u32(index, eight), n),
          vcltq_u32(vaddq_u32(index, twelve), n)};
}

ERT_LANES Lanes operator/(Lanes a, Lanes b) {
  return {divide(a.q0, b.q0), divide(a.q1, b.q1), divide(a.q2, b.q2), divide(a.q3, b.q3)};
}
ERT_LANES Mask operator>(Lanes a, Lanes b) {
  return {vcgtq_f32(a.q0, b.q0), vcgtq_f32(a.q1, b.q1), vcgtq_f32(a.q2, b.q2), vcgtq_f32(a.q3, b.q3)};
}
ERT_LANES Mask operator<(Lanes a, Lanes b) { return b > a; }
ERT_LANES Mask operator>=(Lanes a, Lanes b) {
  return {vcgeq_f32(a.q0, b.q0), vcgeq_f32(a.q1, b.q1), vcgeq_f32(a.q2, b.q2), vcgeq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) {
  return {vbslq_f32(m.q0, yes.q0, no.q0), vbslq_f32(m.q1, yes.q1, no.q1), vbslq_f32(m.q2, yes.q2, no.q2),
          vbslq_f32(m.q3, yes.q3, no.q3)};
}
// NaN where either is, which all that is made of them keeps; NUMERICS.md leaves the sign and the payload open.
ERT_LANES Lanes larger(Lanes a, Lanes b) {
  return {vmaxq_f32(a.q0, b.q0), vmaxq_f32(a.q1, b.q1), vmaxq_f32(a.q2, b.q2), vmaxq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes smaller(Lanes a, Lanes b) {
  return {vminq_f32(a.q0, b.q0), vminq_f32(a.q1, b.q1), vminq_f32(a.q2, b.q2), vminq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes larger_number(Lanes x, Lanes most) {
  return {larger_number(x.q0, most.q0), larger_number(x.q1, most.q1), larger_number(x.q2, most.q2), larger_number(x.q3, most.q3)};
}

ERT_LANES float32x4_t and_bits(uint32x4_t m, float32x4_t a) {
  return vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a)));
}
ERT_LANES float32x4_t clear_bits(uint32x4_t m, float32x4_t a) {
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(a), m));
}
ERT_LANES Lanes zero_unless(Mask m, Lanes a) {
  return {and_bits(m.q0, a.q0), and_bits(m.q1, a.q1), and_bits(m.q2, a.q2), and_bits(m.q3, a.q3)};
}
ERT_LANES Lanes zero_if(Mask m, Lanes a) {
  return {clear_bits(m.q0, a.q0), clear_bits(m.q1, a.q1), clear_bits(m.q2, a.q2), clear_bits(m.q3, a.q3)};
}
// Lanes whose byte is nonzero; count <= 16 bytes are read.
ERT_LANES Mask nonzero_bytes(const uint8_t* p, size_t count) {
  uint8_t copy[16] = {};
  if (count < 16) {
    memcpy(copy, p, count);
    p = copy;
  }
  const uint8x16_t set = vtstq_u8(vld1q_u8(p), vdupq_n_u8(0xff));
  // Doubling a byte of ones twice by sign extension gives a word of ones.
  const int16x8_t low = vmovl_s8(vget_low_s8(vreinterpretq_s8_u8(set))), high = vmovl_s8(vget_high_s8(vreinterpretq_s8_u8(set)));
  return {vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(low))), vreinterpretq_u32_s32(vmovl_s16(vget_high_s16(low))),
          vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(high))), vreinterpretq_u32_s32(vmovl_s16(vget_high_s16(high)))};
}

// Sign of `sign` on a magnitude >= 0.
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  const uint32x4_t bit = vdupq_n_u32(0x80000000u);
  return select({bit, bit, bit, bit}, sign, magnitude);
}

// The canonical tree: lanes i and i + 8, then 4, 2, 1 apart.
ERT_LANES float total(Lanes a) {
  const float32x4_t s4 = vaddq_f32(vaddq_f32(a.q0, a.q2), vaddq_f32(a.q1, a.q3));
  const float32x2_t s2 = vadd_f32(vget_low_f32(s4), vget_high_f32(s4));
  return vget_lane_f32(vpadd_f32(s2, s2), 0);
}
ERT_LANES float largest(Lanes a) { return largest_of(vmaxq_f32(vmaxq_f32(a.q0, a.q2), vmaxq_f32(a.q1, a.q3))); }

}  // namespace
}  // namespace ert::kernels
