// Four values to the two digits of the nearest integers, q = 128 * hi + lo, lo in [-64, 63]. Internal linkage.
#pragma once

#include <arm_mve.h>

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) void store_digits4(int8_t* hi, int8_t* lo, float32x4_t value) {
  const int32x4_t q = vcvtnq_s32_f32(value), high = vrshrq_n_s32(q, 7);
  vstrbq_s32(hi, high);
  vstrbq_s32(lo, vsubq_s32(q, vshlq_n_s32(high, 7)));
}

}  // namespace
}  // namespace ert::kernels
