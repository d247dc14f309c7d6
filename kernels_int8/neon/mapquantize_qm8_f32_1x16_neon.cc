// A row of an 8-bit map from its values, 16 at a time.
#include <arm_neon.h>

#include "kernels_int8/neon/arch.h"
#include "kernels_int8/simd/map_rows.h"

namespace ert::kernels {
namespace {

constexpr size_t kStep = 16;

// Calls block(i, y) for the values i to i + 15; those that are missing in the last block are zeros.
template <bool kFactors, class Block>
inline __attribute__((always_inline)) void for_values(size_t n, const float* src, const float* factors, const Block& block) {
  size_t i = 0;
  const auto load = [&](const float* p) __attribute__((always_inline)) {
    float32x4x4_t y = {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
    if (kFactors) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) y.val[j] = vmulq_f32(y.val[j], vld1q_f32(factors + i + 4 * static_cast<size_t>(j)));
    }
    return y;
  };
  for (; i + kStep <= n; i += kStep) block(i, load(src + i));
  if (i == n) return;
  float rest[kStep] = {};
  for (size_t j = 0; i + j < n; ++j) rest[j] = kFactors ? src[i + j] * factors[i + j] : src[i + j];
  block(i, float32x4x4_t{{vld1q_f32(rest), vld1q_f32(rest + 4), vld1q_f32(rest + 8), vld1q_f32(rest + 12)}});
}

// The larger of each lane. As asm because GCC 12 puts the result elsewhere and moves it back.
inline __attribute__((always_inline)) void take_larger(uint32x4_t* most, uint32x4_t x) {
#ifdef __aarch64__
  __asm__("umax %0.4s, %0.4s, %1.4s" : "+w"(*most) : "w"(x));
#else
  *most = vmaxq_u32(*most, x);
#endif
}
inline __attribute__((always_inline)) void take_larger(int32x4_t* most, int32x4_t x) {
#ifdef __aarch64__
  __asm__("smax %0.4s, %0.4s, %1.4s" : "+w"(*most) : "w"(x));
#else
  *most = vmaxq_s32(*most, x);
#endif
}

// RangeBits of many values.
struct RangeLanes {
  uint32x4_t low[4];
  int32x4_t high[4];

  explicit RangeLanes(uint32_t least = 0x80000000u) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      low[j] = vdupq_n_u32(least);
      high[j] = vdupq_n_s32(0);
    }
  }

  template <bool kLow, bool kHigh>
  inline __attribute__((always_inline)) void extend(const float32x4x4_t& y) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      if (kLow) take_larger(&low[j], vreinterpretq_u32_f32(y.val[j]));
      if (kHigh) take_larger(&high[j], vreinterpretq_s32_f32(y.val[j]));
    }
  }
  uint32x4_t lowest() const { return vmaxq_u32(vmaxq_u32(low[0], low[1]), vmaxq_u32(low[2], low[3])); }
  RangeBits bits() const {
    uint32_t l[4];
    int32_t h[4];
    vst1q_u32(l, lowest());
    vst1q_s32(h, vmaxq_s32(vmaxq_s32(high[0], high[1]), vmaxq_s32(high[2], high[3])));
    RangeBits r;
    for (int j = 0; j < 4; ++j) {
      r.low = l[j] > r.low ? l[j] : r.low;
      r.high = h[j] > r.high ? h[j] : r.high;
    }
    return r;
  }
};

// Values of kRelu or kRelu6: the largest bits are those of the largest value, or of a NaN of any sign.
inline RangeBits clamped_range(size_t n, const float* src) {
  RangeLanes lanes(0);
  for_values<false>(
      n, src, nullptr, [&](size_t, const float32x4x4_t& y) __attribute__((always_inline)) { lanes.extend<true, false>(y); });
  uint32_t largest[4];
  vst1q_u32(largest, lanes.lowest());
  uint32_t most = 0;
  for (const uint32_t bits : largest) most = bits > most ? bits : most;
  RangeBits r;
  r.high = static_cast<int32_t>(most & 0x7fffffffu);
  return r;
}

// Sums with kRoundMagic have the nearest integer in their low bits.
inline __attribute__((always_inline)) void round_all(const float32x4x4_t& y, float inv, int16x8_t (&q)[4]) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) q[j] = vreinterpretq_s16_f32(vaddq_f32(vmulq_f32(y.val[j], vdupq_n_f32(inv)), vdupq_n_f32(kRoundMagic)));
}

// None plus the zero point is below 0, the row's least value being 0 there.
template <bool kFactors>
inline __attribute__((always_inline)) void store_bytes(size_t n, const float* src, const float* factors, const ByteSteps& steps,
                                                       uint8_t* dst) {
  const int16x8_t zero_point = vdupq_n_s16(static_cast<int16_t>(steps.zero_point));
  for_values<kFactors>(
      n, src, factors, [&](size_t i, const float32x4x4_t& y) __attribute__((always_inline)) {
        int16x8_t q[4];
        round_all(y, steps.inv, q);
        const int16x8_t low = vaddq_s16(vuzpq_s16(q[0], q[1]).val[0], zero_point),
                        high = vaddq_s16(vuzpq_s16(q[2], q[3]).val[0], zero_point);
        const uint8x16_t bytes = vcombine_u8(vqmovun_s16(low), vqmovun_s16(high));
        if (i + kStep <= n) return vst1q_u8(dst + i, bytes);
        uint8_t rest[kStep];
        vst1q_u8(rest, bytes);
        for (size_t j = 0; i + j < n; ++j) dst[i + j] = rest[j];
      });
}

#ifdef __aarch64__
// Of rows in which none rounds to 256 (the highest value alone can): bytes are added modulo 256 and not clamped, or not added where the zero point is 0. Returns how many values it has done: pairs of steps.
template <bool kZeroPoint>
inline __attribute__((always_inline)) size_t store_low_bytes(size_t n, const float* src, const ByteSteps& steps, uint8_t* dst) {
  const int8x16_t zero_point = vreinterpretq_s8_u8(vdupq_n_u8(static_cast<uint8_t>(steps.zero_point)));
  const float32x4_t inv = vdupq_n_f32(steps.inv), magic = vdupq_n_f32(kRoundMagic);
  size_t i = 0;
  for (; i + 2 * kStep <= n; i += 2 * kStep) {
    float32x4_t y[8];  // in step, for cores that issue in order
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) y[j] = vmulq_f32(vld1q_f32(src + i + 4 * static_cast<size_t>(j)), inv);
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) y[j] = vaddq_f32(y[j], magic);
    int8x16_t half[4], bytes[2];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) half[j] = vreinterpretq_s8_s16(vuzp1q_s16(vreinterpretq_s16_f32(y[2 * j]), vreinterpretq_s16_f32(y[2 * j + 1])));
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      bytes[j] = vuzp1q_s8(half[2 * j], half[2 * j + 1]);
      if (kZeroPoint) bytes[j] = vaddq_s8(bytes[j], zero_point);
    }
    store_pair(static_cast<int8_t*>(static_cast<void*>(dst + i)), bytes[0], bytes[1]);
  }
  return i;
}

inline size_t store_low_bytes(size_t n, const float* src, float highest, const ByteSteps& steps, uint8_t* dst) {
  if (steps.zero_point == 0) return store_low_bytes<false>(n, src, steps, dst);  // behind a clamp, where the highest is 255 times the scale
  if (round_to_int(highest * steps.inv) + steps.zero_point > 255) return 0;
  return store_low_bytes<true>(n, src, steps, dst);
}
#else
inline size_t store_low_bytes(size_t, const float*, float, const ByteSteps&, uint8_t*) { return 0; }
#endif

void quantize_with_factors(const MapQuantizeArgs& a) {
  const RepeatedFactors<kFactorsAtOnce> factors(a.factors, a.channels);
  RangeLanes lanes;
  for_factors(a, factors, [&](size_t at, size_t n, const float* f) {
    for_values<true>(
        n, a.src + at, f, [&](size_t, const float32x4x4_t& y) __attribute__((always_inline)) { lanes.extend<true, true>(y); });
  });
  const ByteSteps steps = steps_of(lanes.bits(), a.scale);
  if (cleared_for_nan(a)) return;
  for_factors(a, factors, [&](size_t at, size_t n, const float* f) { store_bytes<true>(n, a.src + at, f, steps, a.dst + at); });
}

}  // namespace

void mapquantize_qm8_f32_1x16_neon(const MapQuantizeArgs& a) {
  if (a.factors != nullptr) return quantize_with_factors(a);
  const size_t n = a.pixels * a.channels;
  RangeBits bits;
  if (a.clamped) {
    bits = clamped_range(n, a.src);
  } else {
    RangeLanes lanes;
    for_values<false>(
        n, a.src, nullptr, [&](size_t, const float32x4x4_t& y) __attribute__((always_inline)) { lanes.extend<true, true>(y); });
    bits = lanes.bits();
  }
  const ByteSteps steps = steps_of(bits, a.scale);
  if (cleared_for_nan(a)) return;
  const size_t done = store_low_bytes(n, a.src, float_of(static_cast<uint32_t>(bits.high)), steps, a.dst);
  store_bytes<false>(n - done, a.src + done, nullptr, steps, a.dst + done);
}

}  // namespace ert::kernels
