// Four fp32 lanes of Helium under the names of lanes16_mve.h, for functions that are written over Lanes and have no sums.
// Internal linkage; a translation unit includes this or that.
#pragma once

#if !defined(__ARM_FEATURE_MVE) || (__ARM_FEATURE_MVE & 2) == 0
#error "build for a core with MVE and its floating-point part"
#endif

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/math_constants.h"

#define ERT_LANES inline __attribute__((always_inline))
// Activations and the five gates of a cell share exponentials: one copy of each kind, where code is scarce.
#define ERT_LANES_FUNCTION __attribute__((noinline))

namespace ert::kernels {
namespace {

constexpr bool kRegistersForTwoLanes = false;
constexpr bool kRegistersForLanes4 = false;
constexpr bool kPredicatedAccess = true;

struct Lanes {
  float32x4_t q;
};
struct Mask {
  mve_pred16_t q;
};

ERT_LANES Lanes broadcast(float x) { return {vdupq_n_f32(x)}; }
ERT_LANES Lanes load(const float* p) { return {vld1q_f32(p)}; }
ERT_LANES void store(float* p, Lanes a) { vst1q_f32(p, a.q); }
// The first count lanes, all of them from 4 on; the others are +0 and their memory is not touched.
ERT_LANES Lanes load_first(const float* p, size_t count) { return {vld1q_z_f32(p, vctp32q(static_cast<uint32_t>(count)))}; }
ERT_LANES void store_first(float* p, Lanes a, size_t count) { vst1q_p_f32(p, a.q, vctp32q(static_cast<uint32_t>(count))); }

ERT_LANES Lanes operator+(Lanes a, Lanes b) { return {vaddq_f32(a.q, b.q)}; }
ERT_LANES Lanes operator-(Lanes a, Lanes b) { return {vsubq_f32(a.q, b.q)}; }
ERT_LANES Lanes operator*(Lanes a, Lanes b) { return {vmulq_f32(a.q, b.q)}; }
ERT_LANES Lanes operator/(Lanes a, Lanes b) {
  return {float32x4_t{a.q[0] / b.q[0], a.q[1] / b.q[1], a.q[2] / b.q[2], a.q[3] / b.q[3]}};
}
ERT_LANES Mask operator>(Lanes a, Lanes b) { return {vcmpgtq_f32(a.q, b.q)}; }
ERT_LANES Mask operator<(Lanes a, Lanes b) { return b > a; }
ERT_LANES Mask operator>=(Lanes a, Lanes b) { return {vcmpgeq_f32(a.q, b.q)}; }
ERT_LANES Lanes select(Mask m, Lanes yes, Lanes no) { return {vpselq_f32(yes.q, no.q, m.q)}; }
// Compare and select: b where the two are equal or either is NaN.
ERT_LANES Lanes larger(Lanes a, Lanes b) { return select(a > b, a, b); }
ERT_LANES Lanes smaller(Lanes a, Lanes b) { return select(a < b, a, b); }
ERT_LANES Lanes zero_unless(Mask m, Lanes a) { return select(m, a, broadcast(0.0f)); }
ERT_LANES Lanes zero_if(Mask m, Lanes a) { return select(m, broadcast(0.0f), a); }
ERT_LANES void order_together(Lanes*, Lanes*, Lanes*, Lanes*) {}

ERT_LANES Lanes absolute(Lanes a) { return {vabsq_f32(a.q)}; }
// Sign of `sign` on a magnitude >= 0.
ERT_LANES Lanes with_sign(Lanes magnitude, Lanes sign) {
  const uint32x4_t bit = vandq_u32(vreinterpretq_u32_f32(sign.q), vdupq_n_u32(0x80000000u));
  return {vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(magnitude.q), bit))};
}
// y * 2^n with z = n + kRoundMagic.
ERT_LANES Lanes times_power_of_two(Lanes y, Lanes z) {
  const int32x4_t exponent = vshlq_n_s32(vreinterpretq_s32_f32(z.q), 23);
  return {vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(y.q), exponent))};
}

}  // namespace
}  // namespace ert::kernels
