// A row of an 8-bit map from its values, four at a time: ref/quantize_row.h operation by operation.
#include <string.h>

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/contract/quantized_rows.h"
#include "kernels_int8/mve/fours_mve.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) void store_bytes(uint8_t* p, uint32x4_t q, WholeFour) { vstrbq_u32(p, q); }
inline __attribute__((always_inline)) void store_bytes(uint8_t* p, uint32x4_t q, PartOfFour four) {
  vstrbq_p_u32(p, q, four.present);
}

// Calls take(values, dst, four) for the values of a row, each times the factor of its channel where there are factors.
template <bool kFactors, class Take>
inline __attribute__((always_inline)) void for_fours_of(size_t n, const float* src, const float* factors, uint8_t* dst,
                                                        const Take& take) {
  // Counted, with pointers that move on: two instructions less than an index takes.
  for (size_t left = n / 4; left > 0; --left, src += 4, dst += 4) {
    const float32x4_t y = vld1q_f32(src);
    if constexpr (kFactors) {
      take(vmulq_f32(y, vld1q_f32(factors)), dst, WholeFour{});
      factors += 4;
    } else {
      take(y, dst, WholeFour{});
    }
  }
  if (n % 4 == 0) return;
  const PartOfFour four = first_of_four(n % 4);
  const float32x4_t y = four.load(src);
  take(kFactors ? vmulq_f32(y, four.load(factors)) : y, dst, four);
}
template <class Take>
inline __attribute__((always_inline)) void for_values(const MapQuantizeArgs& a, const Take& take) {
  const size_t channels = a.channels, pixels = a.pixels;
  if (a.factors == nullptr) return for_fours_of<false>(pixels * channels, a.src, nullptr, a.dst, take);
  for (size_t at = 0; at < pixels * channels; at += channels)
    for_fours_of<true>(channels, a.src + at, a.factors, a.dst + at, take);
}

// False where the row has no range: it is done.
inline bool has_range(const MapQuantizeArgs& a, float range) {
  if (range >= kZeroRange && range <= kLargestFloat) return true;
  memset(a.dst, 0, a.pixels * a.channels);
  *a.scale = {scale_of_no_range(range), 0};
  return false;
}

// Of values none of which is below +0: the zero point is 0, and none is rounded to more than 255. As unsigned integers the largest is a NaN, whatever its sign, where there is one.
__attribute__((noinline)) void quantize_clamped(const MapQuantizeArgs& a) {
  const size_t n = a.pixels * a.channels;
  uint32x4_t hi = vdupq_n_u32(0);
  for_fours_of<false>(
      n, a.src, nullptr, a.dst,
      [&](float32x4_t y, uint8_t*, auto) __attribute__((always_inline)) { hi = vmaxq_u32(vreinterpretq_u32_f32(y), hi); });
  const float range = __builtin_bit_cast(float, vmaxvq_u32(0, hi));
  if (!has_range(a, range)) return;
  const float inv = kMaxQa8 / range;
  for_fours_of<false>(
      n, a.src, nullptr, a.dst, [=](float32x4_t y, uint8_t * dst, auto four) __attribute__((always_inline)) {
        store_bytes(dst, vreinterpretq_u32_s32(vcvtnq_s32_f32(vmulq_n_f32(y, inv))), four);
      });
  *a.scale = {range / kMaxQa8, 0};
}

}  // namespace

void mapquantize_qm8_f32_1x4_mve(const MapQuantizeArgs& a) {
  if (a.clamped) return quantize_clamped(a);
  // By bits: the instructions' own maximum loses NaN.
  int32x4_t hi = vdupq_n_s32(0);
  uint32x4_t lo = vdupq_n_u32(0x80000000u);
  for_values(
      a, [&](float32x4_t y, uint8_t*, auto) __attribute__((always_inline)) {
        hi = vmaxq_s32(vreinterpretq_s32_f32(y), hi);
        lo = vmaxq_u32(vreinterpretq_u32_f32(y), lo);
      });
  const float lowest = __builtin_bit_cast(float, vmaxvq_u32(0x80000000u, lo));
  const float range = __builtin_bit_cast(float, vmaxvq_s32(0, hi)) - lowest;
  if (!has_range(a, range)) return;
  const float inv = kMaxQa8 / range;
  const int32_t zero_point = vcvtnq_s32_f32(vdupq_n_f32((0.0f - lowest) * inv))[0];
  // No value is below the lowest, so none becomes less than 0; roundings of both ends together may give 256.
  const uint32x4_t most = vdupq_n_u32(255);
  for_values(
      a, [=](float32x4_t y, uint8_t * dst, auto four) __attribute__((always_inline)) {
        const int32x4_t q = vaddq_n_s32(vcvtnq_s32_f32(vmulq_n_f32(y, inv)), zero_point);
        store_bytes(dst, vminq_u32(vreinterpretq_u32_s32(q), most), four);
      });
  *a.scale = {range / kMaxQa8, zero_point};
}

}  // namespace ert::kernels
