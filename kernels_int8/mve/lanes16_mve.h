// Sixteen fp32 lanes on Helium (MVE): four of its eight registers, lanes 0..3 in q0. The operations that simd/*.h are written in;
// see lanes16_neon.h for a close relative. Helium always flushes subnormals and rounds to nearest, as the contract wants; it has
// no division, which is done one lane at a time. Internal linkage.
#pragma once

#if !defined(__ARM_FEATURE_MVE) || (__ARM_FEATURE_MVE & 2) == 0
#error "build for a core with MVE and its floating-point part"
#endif

#include <arm_mve.h>

#include "kernels_int8/simd/lanes16_four.h"

namespace ert::kernels {
namespace {

constexpr bool kPredicatedAccess = true;  // load_first and store_first take any count, and cost what load and store do
// fp32 GEMM tile of simd/gemm16.h: one row of one panel is half of the registers.
constexpr int kGemmRows = 1;
constexpr int kGemmPanels = 1;
constexpr int kGemmPanelsFewRows = 1;

struct Mask {
  mve_pred16_t q0, q1, q2, q3;
};

// Predicate of lanes at.. at + 3 of the first count.
ERT_LANES mve_pred16_t first_of(size_t count, size_t at) { return vctp32q(count > at ? static_cast<uint32_t>(count - at) : 0); }
ERT_LANES Mask first_lanes(size_t count) {
  return {first_of(count, 0), first_of(count, 4), first_of(count, 8), first_of(count, 12)};
}
// The first count lanes, all of them from 16 on; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) {
  const Mask m = first_lanes(count);
  return {vld1q_z_f32(p, m.q0), vld1q_z_f32(p + 4, m.q1), vld1q_z_f32(p + 8, m.q2), vld1q_z_f32(p + 12, m.q3)};
}
ERT_LANES void store_first(float* p, Lanes a, size_t count) {
  const Mask m = first_lanes(count);
  vst1q_p_f32(p, a.q0, m.q0);
  vst1q_p_f32(p + 4, a.q1, m.q1);
  vst1q_p_f32(p + 8, a.q2, m.q2);
  vst1q_p_f32(p + 12, a.q3, m.q3);
}

ERT_LANES float32x4_t divide(float32x4_t a, float32x4_t b) {
  return float32x4_t{a[0] / b[0], a[1] / b[1], a[2] / b[2], a[3] / b[3]};
}
ERT_LANES Lanes operator/(Lanes a, Lanes b) {
  return {divide(a.q0, b.q0), divide(a.q1, b.q1), divide(a.q2, b.q2), divide(a.q3, b.q3)};
}
ERT_LANES Mask operator>(Lanes a, Lanes b) {
  return {vcmpgtq_f32(a.q0, b.q0), vcmpgtq_f32(a.q1, b.q1), vcmpgtq_f32(a.q2, b.q2), vcmpgtq_f32(a.q3, b.q3)};
}
ERT_LANES Mask operator<(Lanes a, Lanes b) { return b > a; }
ERT_LANES Mask operator>=(Lanes a, Lanes b) {
  return {vcmpgeq_f32(a.q0, b.q0), vcmpgeq_f32(a.q1, b.q1), vcmpgeq_f32(a.q2, b.q2), vcmpgeq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) {
  return {vpselq_f32(yes.q0, no.q0, m.q0), vpselq_f32(yes.q1, no.q1, m.q1), vpselq_f32(yes.q2, no.q2, m.q2),
          vpselq_f32(yes.q3, no.q3, m.q3)};
}
// Compare and select: b where the two are equal or either is NaN.
ERT_LANES Lanes larger(Lanes a, Lanes b) { return select(a > b, a, b); }
ERT_LANES Lanes smaller(Lanes a, Lanes b) { return select(a < b, a, b); }
ERT_LANES Lanes zero_unless(Mask m, Lanes a) { return select(m, a, broadcast(0.0f)); }
ERT_LANES Lanes zero_if(Mask m, Lanes a) { return select(m, broadcast(0.0f), a); }
// Lanes whose byte is nonzero; count <= 16 bytes are read.
ERT_LANES Mask nonzero_bytes(const uint8_t* p, size_t count) {
  const Mask m = first_lanes(count);
  const uint32x4_t none = vdupq_n_u32(0);
  return {vcmpneq_u32(vldrbq_z_u32(p, m.q0), none), vcmpneq_u32(vldrbq_z_u32(p + 4, m.q1), none),
          vcmpneq_u32(vldrbq_z_u32(p + 8, m.q2), none), vcmpneq_u32(vldrbq_z_u32(p + 12, m.q3), none)};
}

ERT_LANES float32x4_t with_sign(float32x4_t magnitude, float32x4_t sign) {
  const uint32x4_t bit = vandq_u32(vreinterpretq_u32_f32(sign), vdupq_n_u32(0x80000000u));
  return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(magnitude), bit));
}
// Sign of `sign` on a magnitude >= 0.
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  return {with_sign(magnitude.q0, sign.q0), with_sign(magnitude.q1, sign.q1), with_sign(magnitude.q2, sign.q2),
          with_sign(magnitude.q3, sign.q3)};
}

}  // namespace
}  // namespace ert::kernels
