// Sums of the channels of a row of an 8-bit map, four channels at a time.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/mve/fours_mve.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) uint32x4_t load_bytes(const uint8_t* p, WholeFour) { return vldrbq_u32(p); }
inline __attribute__((always_inline)) uint32x4_t load_bytes(const uint8_t* p, PartOfFour four) {
  return vldrbq_z_u32(p, four.present);
}

}  // namespace

void mapsum_f32_qm8_1x4_mve(const MapSumArgs& a) {
  const size_t pixels = a.pixels, channels = a.channels;
  const uint8_t* src = a.src;
  const int32_t start = static_cast<int32_t>(pixels) * -a.scale.zero_point;
  const float scale = a.scale.scale;
  float* t = a.t;
  for_fours(
      channels, [=](size_t c, auto four) __attribute__((always_inline)) {
        const uint8_t* at = src + c;
        uint32x4_t sums = vdupq_n_u32(static_cast<uint32_t>(start));
        for (size_t p = pixels; p > 0; --p, at += channels) sums = vaddq_u32(sums, load_bytes(at, four));
        const float32x4_t part = vmulq_n_f32(vcvtq_f32_s32(vreinterpretq_s32_u32(sums)), scale);
        four.store(t + c, vaddq_f32(four.load(t + c), part));
      });
}

}  // namespace ert::kernels
