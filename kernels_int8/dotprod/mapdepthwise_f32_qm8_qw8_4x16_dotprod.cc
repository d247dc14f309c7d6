// Depthwise convolution over 8-bit maps with sdot: of 16 channels the bytes of four pixels are brought together, so that one instruction adds four taps.
#include "kernels_int8/neon/map_sums.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 2;

struct FourPixels {
  int8x16_t quad[4];  // of four channels each
};
using FourTaps = FourPixels;

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  const int8x16_t p0 = signed_bytes(src), p1 = signed_bytes(src + step), p2 = signed_bytes(src + 2 * step),
                  p3 = signed_bytes(src + 3 * step);
  const int16x8_t a = vreinterpretq_s16_s8(vzip1q_s8(p0, p1)), b = vreinterpretq_s16_s8(vzip1q_s8(p2, p3));
  const int16x8_t c = vreinterpretq_s16_s8(vzip2q_s8(p0, p1)), d = vreinterpretq_s16_s8(vzip2q_s8(p2, p3));
  return {{vreinterpretq_s8_s16(vzip1q_s16(a, b)), vreinterpretq_s8_s16(vzip2q_s16(a, b)), vreinterpretq_s8_s16(vzip1q_s16(c, d)),
           vreinterpretq_s8_s16(vzip2q_s16(c, d))}};
}
ERT_LANES FourTaps taps_of(const int8_t* weights) {
  return {{vld1q_s8(weights), vld1q_s8(weights + 16), vld1q_s8(weights + 32), vld1q_s8(weights + 48)}};
}
ERT_LANES int8x16_t moved_on(const int8_t* weights) {
  return vreinterpretq_s8_s32(vshlq_n_s32(vreinterpretq_s32_s8(vld1q_s8(weights)), 8));
}
ERT_LANES FourTaps next_taps_of(const int8_t* weights) {
  return {{moved_on(weights), moved_on(weights + 16), moved_on(weights + 32), moved_on(weights + 48)}};
}
ERT_LANES Sums add_taps(Sums acc, const FourPixels& x, const FourTaps& w) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) acc.part[j] = vdotq_s32(acc.part[j], x.quad[j], w.quad[j]);
  return acc;
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_4x16_dotprod(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
