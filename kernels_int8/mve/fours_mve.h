// A row of floats in vectors of four: whole ones, and the last one with a predicate. Internal linkage.
#pragma once

#if !defined(__ARM_FEATURE_MVE) || (__ARM_FEATURE_MVE & 2) == 0
#error "build for a core with MVE and its floating-point part"
#endif

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {
namespace {

struct WholeFour {
  inline __attribute__((always_inline)) float32x4_t load(const float* p) const { return vld1q_f32(p); }
  inline __attribute__((always_inline)) void store(float* p, float32x4_t x) const { vst1q_f32(p, x); }
  inline __attribute__((always_inline)) float32x4_t zero_if_absent(float32x4_t x) const { return x; }
};
// Absent values are loaded as +0, and their memory is not touched.
struct PartOfFour {
  mve_pred16_t present;
  inline __attribute__((always_inline)) float32x4_t load(const float* p) const { return vld1q_z_f32(p, present); }
  inline __attribute__((always_inline)) void store(float* p, float32x4_t x) const { vst1q_p_f32(p, x, present); }
  inline __attribute__((always_inline)) float32x4_t zero_if_absent(float32x4_t x) const { return vpselq_f32(x, vdupq_n_f32(0.0f), present); }
};
// The first count of four, all of them from 4 on.
inline __attribute__((always_inline)) PartOfFour first_of_four(size_t count) { return {vctp32q(static_cast<uint32_t>(count))}; }

// Calls take(i, four) for i = 0, 4, .. below n. Predicates cost GCC 12 four instructions, so only the last vector has one.
template <class Take>
inline __attribute__((always_inline)) void for_fours(size_t n, const Take& take) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) take(i, WholeFour{});
  if (i < n) take(i, first_of_four(n - i));
}

}  // namespace
}  // namespace ert::kernels
