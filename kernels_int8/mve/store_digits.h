// Sixteen values to the two digits of the nearest integers, q = 128 * hi + lo, lo in [-64, 63]. Include lanes16_mve.h first.
#pragma once

namespace ert::kernels {
namespace {

ERT_LANES void store_digits4(int8_t* hi, int8_t* lo, float32x4_t value) {
  const int32x4_t q = vcvtnq_s32_f32(value), high = vrshrq_n_s32(q, 7);
  vstrbq_s32(hi, high);
  vstrbq_s32(lo, vsubq_s32(q, vshlq_n_s32(high, 7)));
}
ERT_LANES void store_digits(int8_t* hi, int8_t* lo, Lanes q) {
  store_digits4(hi, lo, q.q0);
  store_digits4(hi + 4, lo + 4, q.q1);
  store_digits4(hi + 8, lo + 8, q.q2);
  store_digits4(hi + 12, lo + 12, q.q3);
}

}  // namespace
}  // namespace ert::kernels
