// What is the same for sixteen fp32 lanes in four registers of NEON and of Helium, whose intrinsics have common names. Included by
// lanes16_neon.h and lanes16_mve.h behind their headers of intrinsics; they add masks, sums and `divide`. Internal linkage.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/math_constants.h"

#define ERT_LANES inline __attribute__((always_inline))

namespace ert::kernels {
namespace {

// One vector of 16 lanes already is four chains side by side.
constexpr bool kRegistersForTwoLanes = false;
constexpr bool kRegistersForLanes4 = false;

struct Lanes {
  float32x4_t q0, q1, q2, q3;
};

ERT_LANES Lanes broadcast(float x) {
  const float32x4_t v = vdupq_n_f32(x);
  return {v, v, v, v};
}
ERT_LANES Lanes load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}; }
ERT_LANES void store(float* p, Lanes a) {
  vst1q_f32(p, a.q0);
  vst1q_f32(p + 4, a.q1);
  vst1q_f32(p + 8, a.q2);
  vst1q_f32(p + 12, a.q3);
}
// Lanes 0..7 of one place, 8..15 of another: eight channels of two pixels.
ERT_LANES Lanes load_halves(const float* p, const float* q) { return {vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(q), vld1q_f32(q + 4)}; }
ERT_LANES void store_halves(float* p, float* q, Lanes a) {
  vst1q_f32(p, a.q0);
  vst1q_f32(p + 4, a.q1);
  vst1q_f32(q, a.q2);
  vst1q_f32(q + 4, a.q3);
}
ERT_LANES Lanes broadcast_halves(float x, float y) {
  const float32x4_t first = vdupq_n_f32(x), second = vdupq_n_f32(y);
  return {first, first, second, second};
}
ERT_LANES Lanes operator+(Lanes a, Lanes b) {
  return {vaddq_f32(a.q0, b.q0), vaddq_f32(a.q1, b.q1), vaddq_f32(a.q2, b.q2), vaddq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes operator-(Lanes a, Lanes b) {
  return {vsubq_f32(a.q0, b.q0), vsubq_f32(a.q1, b.q1), vsubq_f32(a.q2, b.q2), vsubq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes operator*(Lanes a, Lanes b) {
  return {vmulq_f32(a.q0, b.q0), vmulq_f32(a.q1, b.q1), vmulq_f32(a.q2, b.q2), vmulq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes absolute(Lanes a) { return {vabsq_f32(a.q0), vabsq_f32(a.q1), vabsq_f32(a.q2), vabsq_f32(a.q3)}; }
ERT_LANES float32x4_t times_power_of_two(float32x4_t y, float32x4_t z) {
  const int32x4_t exponent = vshlq_n_s32(vreinterpretq_s32_f32(z), 23);
  return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(y), exponent));
}
// y * 2^n with z = n + kRoundMagic.
ERT_LANES Lanes times_power_of_two(Lanes y, Lanes z) {
  return {times_power_of_two(y.q0, z.q0), times_power_of_two(y.q1, z.q1), times_power_of_two(y.q2, z.q2),
          times_power_of_two(y.q3, z.q3)};
}
ERT_LANES void order_together(Lanes*, Lanes*, Lanes*, Lanes*) {}

}  // namespace
}  // namespace ert::kernels
