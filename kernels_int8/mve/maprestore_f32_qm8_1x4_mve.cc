// The values of a row of an 8-bit map, four at a time.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/mve/map_values_mve.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) uint32x4_t load_bytes(const uint8_t* p, WholeFour) { return vldrbq_u32(p); }
inline __attribute__((always_inline)) uint32x4_t load_bytes(const uint8_t* p, PartOfFour four) {
  return vldrbq_z_u32(p, four.present);
}

// n values, whose factors begin at the first channel.
template <bool kFactors, bool kAdd>
inline __attribute__((always_inline)) void values(size_t n, const uint8_t* src, const RowScale& scale, const float* factors,
                                                  float* dst, int32x4_t least) {
  const int32_t zero_point = scale.zero_point;
  const float of_row = scale.scale;
  for_fours(
      n, [=](size_t i, auto four) __attribute__((always_inline)) {
        const int32x4_t q = vreinterpretq_s32_u32(load_bytes(src + i, four));
        float32x4_t x = vmulq_n_f32(vcvtq_f32_s32(vsubq_n_s32(q, zero_point)), of_row);
        if constexpr (kFactors) x = vmulq_f32(x, four.load(factors + i));
        if constexpr (kAdd) x = vaddq_f32(four.load(dst + i), x);
        four.store(dst + i, at_least(x, least));
      });
}

template <bool kAdd>
void restore(const MapRestoreArgs& a) {
  const size_t n = a.pixels * a.channels;
  const int32x4_t least = least_bits(a.clamp);
  if (a.factors == nullptr) return values<false, kAdd>(n, a.src, a.scale, nullptr, a.dst, least);
  for (size_t at = 0; at < n; at += a.channels) values<true, kAdd>(a.channels, a.src + at, a.scale, a.factors, a.dst + at, least);
}

}  // namespace

void maprestore_f32_qm8_1x4_mve(const MapRestoreArgs& a) {
  a.add ? restore<true>(a) : restore<false>(a);
  if (a.clamp == Clamp::kRelu6) below_six(a.pixels * a.channels, a.dst);
}

}  // namespace ert::kernels
