// A row of an 8-bit map from its values: the steps of ref/quantize_row.h, four values in a round.
#include <string.h>

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {
namespace {

// Calls four(values) and one(value) for a row, each value times the factor of its channel where there are factors; without them from `first` on.
template <class Four, class One>
inline __attribute__((always_inline)) void for_values(const MapQuantizeArgs& a, size_t first, const Four& four, const One& one) {
  const float* src = a.src;
  if (a.factors == nullptr) {
    const float* const end = src + a.pixels * a.channels;
    src += first;
    for (; end - src >= 4; src += 4) {
      const F32 x[4] = {src[0], src[1], src[2], src[3]};
      four(x);
    }
    for (; src != end; ++src) one(F32(*src));
    return;
  }
  for (size_t p = 0; p < a.pixels; ++p) {
    const float *f = a.factors, *const end = src + a.channels;
    for (; end - src >= 4; src += 4, f += 4) {
      const F32 x[4] = {F32(src[0]) * F32(f[0]), F32(src[1]) * F32(f[1]), F32(src[2]) * F32(f[2]), F32(src[3]) * F32(f[3])};
      four(x);
    }
    for (; src != end; ++src, ++f) one(F32(*src) * F32(*f));
  }
}

inline int32_t signed_bits(F32 x) { return static_cast<int32_t>(bits_of(to_float(x))); }

// Largest values by their bits, as in ref/quantize_row.h: signed integers from +0 on, and unsigned ones from -0 on, which need a look only where a value has a sign.
F32 largest(const MapQuantizeArgs& a, bool* any_sign) {
  int32_t hi = 0, signs = 0;
  const auto one = [&](F32 x) __attribute__((always_inline)) {
    const int32_t bits = signed_bits(x);
    signs |= bits;
    if (bits > hi) hi = bits;
  };
  size_t done = 0;
#if !ERT_FLUSH_IN_SOFTWARE
  if (a.factors == nullptr) {
    const float* src = a.src;
    done = a.pixels * a.channels / 4 * 4;
    for (size_t fours = done / 4; fours > 0; --fours)
      __asm__(
          "ldmia %[src]!, {r4, r5, r6, r8}\n\torr %[signs], r4\n\torr %[signs], r5\n\torr %[signs], r6\n\torr %[signs], r8\n\t"
          "cmp %[hi], r4\n\tit lt\n\tmovlt %[hi], r4\n\tcmp %[hi], r5\n\tit lt\n\tmovlt %[hi], r5\n\t"
          "cmp %[hi], r6\n\tit lt\n\tmovlt %[hi], r6\n\tcmp %[hi], r8\n\tit lt\n\tmovlt %[hi], r8"
          : [src] "+r"(src), [signs] "+r"(signs), [hi] "+r"(hi)
          :
          : "r4", "r5", "r6", "r8", "cc", "memory");
  }
#endif
  for_values(
      a, done,
      [&](const F32(&x)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) one(x[i]);
      },
      one);
  *any_sign = signs < 0;
  return float_of(static_cast<uint32_t>(hi));
}
F32 lowest(const MapQuantizeArgs& a) {
  uint32_t lo = 0x80000000u;
  const auto one = [&](F32 x) __attribute__((always_inline)) {
    const uint32_t bits = bits_of(to_float(x));
    if (bits > lo) lo = bits;
  };
  for_values(
      a, 0,
      [&](const F32(&x)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) one(x[i]);
      },
      one);
  return float_of(lo);
}

// Bytes of values times inv, rounded, plus the zero point.
void store(const MapQuantizeArgs& a, F32 inv, int32_t zero_point) {
  // The low half of what round_to_int takes an integer from is the integer: kRoundMagic has none of these bits.
  static_assert((bits_of(kRoundMagic) & 0xffff) == 0, "as above");
  [[maybe_unused]] const uint32_t shifts = static_cast<uint32_t>(zero_point) | static_cast<uint32_t>(zero_point) << 16;
  uint8_t* dst = a.dst;
  const auto rounded = [&](F32 x) __attribute__((always_inline)) { return bits_of(to_float(x * inv + F32(kRoundMagic))); };
  const auto one = [&](F32 x) __attribute__((always_inline)) {
    const int32_t q = static_cast<int16_t>(rounded(x)) + zero_point;
    *dst++ = static_cast<uint8_t>(q < 0 ? 0 : q > 255 ? 255 : q);
  };
  [[maybe_unused]] const bool words = reinterpret_cast<uintptr_t>(dst) % 4 == 0;
  size_t done = 0;
#if !ERT_FLUSH_IN_SOFTWARE
  if (words && a.factors == nullptr) {
    const float* src = a.src;
    done = a.pixels * a.channels / 4 * 4;
    for (size_t fours = done / 4; fours > 0; --fours)
      __asm__ volatile(
          "vldmia %[src]!, {s0-s3}\n\tvmul.f32 s0, s0, %[inv]\n\tvmul.f32 s1, s1, %[inv]\n\tvmul.f32 s2, s2, %[inv]\n\tvmul.f32 "
          "s3, s3, %[inv]\n\t"
          "vadd.f32 s0, s0, %[magic]\n\tvadd.f32 s1, s1, %[magic]\n\tvadd.f32 s2, s2, %[magic]\n\tvadd.f32 s3, s3, %[magic]\n\t"
          "vmov r4, r5, s0, s1\n\tvmov r6, r8, s2, s3\n\tpkhbt r4, r4, r6, lsl #16\n\tpkhbt r5, r5, r8, lsl #16\n\t"
          "sadd16 r4, r4, %[shifts]\n\tsadd16 r5, r5, %[shifts]\n\tusat16 r4, #8, r4\n\tusat16 r5, #8, r5\n\torr r4, r4, r5, lsl "
          "#8\n\tstr r4, [%[dst]], #4"
          : [src] "+r"(src), [dst] "+r"(dst)
          : [inv] "t"(inv), [magic] "t"(kRoundMagic), [shifts] "r"(shifts)
          : "r4", "r5", "r6", "r8", "s0", "s1", "s2", "s3", "memory");
  }
#endif
  for_values(
      a, done,
      [&](const F32(&x)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) one(x[i]);
      },
      one);
}

}  // namespace

void mapquantize_qm8_f32_1x4_dsp(const MapQuantizeArgs& a) {
  bool any_sign;
  const F32 hi = largest(a, &any_sign), lo = any_sign ? lowest(a) : F32(-0.0f), range = hi - lo;
  if (!ordinary(range)) {
    memset(a.dst, 0, a.pixels * a.channels);
    *a.scale = {scale_without_range(range), 0};
    return;
  }
  const F32 inv = F32(kMaxQa8) / range;
  const int32_t zero_point = round_to_int((F32(0.0f) - lo) * inv);
  store(a, inv, zero_point);
  *a.scale = {to_float(range / F32(kMaxQa8)), zero_point};
}

}  // namespace ert::kernels
