// The values of a row of an 8-bit map, or added to others, 16 at a time.
#include <arm_neon.h>

#include "kernels_int8/simd/map_rows.h"

namespace ert::kernels {
namespace {

// One value, the bits of the vectors below.
template <bool kAdd, bool kFactors, Clamp kClamp>
inline __attribute__((always_inline)) void restore_rest(size_t i, size_t n, const MapRestoreArgs& a, const uint8_t* src,
                                                        float* dst) {
  for (; i < n; ++i) {
    float x = static_cast<float>(static_cast<int32_t>(src[i]) - a.scale.zero_point) * a.scale.scale;
    if (kFactors) x = x * a.factors[i];
    if (kAdd) x = dst[i] + x;
    dst[i] = clamped_by_bits<kClamp>(x);
  }
}

template <bool kAdd, bool kFactors, Clamp kClamp>
inline __attribute__((always_inline)) void restore_values(size_t n, const MapRestoreArgs& a, const uint8_t* src, float* dst) {
  const float32x4_t scale = vdupq_n_f32(a.scale.scale);
  // A byte below the exponent of 2^23 is that much more than 2^23: exact, and half as dear as a conversion.
  const uint16x8_t exponent = vdupq_n_u16(0x4B00);
  const float32x4_t zero = vdupq_n_f32(8388608.0f + static_cast<float>(a.scale.zero_point));
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const uint8x16_t q = vld1q_u8(src + i);
    const uint16x8x2_t low = vzipq_u16(vmovl_u8(vget_low_u8(q)), exponent), high = vzipq_u16(vmovl_u8(vget_high_u8(q)), exponent);
    const uint16x8_t raised[4] = {low.val[0], low.val[1], high.val[0], high.val[1]};
    float32x4_t x[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      x[j] = vmulq_f32(vsubq_f32(vreinterpretq_f32_u16(raised[j]), zero), scale);
      if (kFactors) x[j] = vmulq_f32(x[j], vld1q_f32(a.factors + i + 4 * static_cast<size_t>(j)));
      if (kAdd) x[j] = vaddq_f32(vld1q_f32(dst + i + 4 * static_cast<size_t>(j)), x[j]);
      // The larger of +0 and -0 is +0, and NaN is the larger and the smaller one.
      if (kClamp != Clamp::kNone) x[j] = vmaxq_f32(x[j], vdupq_n_f32(0.0f));
      if (kClamp == Clamp::kRelu6) x[j] = vminq_f32(x[j], vdupq_n_f32(6.0f));
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) vst1q_f32(dst + i + 4 * static_cast<size_t>(j), x[j]);
  }
  restore_rest<kAdd, kFactors, kClamp>(i, n, a, src, dst);
}

template <bool kAdd, Clamp kClamp>
void restore_row(const MapRestoreArgs& a) {
  if (a.factors == nullptr) return restore_values<kAdd, false, kClamp>(a.pixels * a.channels, a, a.src, a.dst);
  for (size_t p = 0; p < a.pixels; ++p)
    restore_values<kAdd, true, kClamp>(a.channels, a, a.src + p * a.channels, a.dst + p * a.channels);
}

template <bool kAdd>
void restore_clamp(const MapRestoreArgs& a) {
  switch (a.clamp) {
    case Clamp::kNone: return restore_row<kAdd, Clamp::kNone>(a);
    case Clamp::kRelu: return restore_row<kAdd, Clamp::kRelu>(a);
    case Clamp::kRelu6: return restore_row<kAdd, Clamp::kRelu6>(a);
  }
}

}  // namespace

void maprestore_f32_qm8_1x16_neon(const MapRestoreArgs& a) { a.add ? restore_clamp<true>(a) : restore_clamp<false>(a); }

}  // namespace ert::kernels
