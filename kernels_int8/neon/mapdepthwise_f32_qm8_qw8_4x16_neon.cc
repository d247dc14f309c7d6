// Depthwise convolution over 8-bit maps for NEON: two products are summed in 16 bits, where they fit as those of gemm_tile.h do.
#include "kernels_int8/neon/map_sums.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 2;

struct FourPixels {
  int8x16_t pixel[4];
};
using FourTaps = FourPixels;

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  return {{signed_bytes(src), signed_bytes(src + step), signed_bytes(src + 2 * step), signed_bytes(src + 3 * step)}};
}
ERT_LANES FourTaps taps_of(const int8_t* weights) {
  const int8x16x4_t w = vld4q_s8(weights);
  return {{w.val[0], w.val[1], w.val[2], w.val[3]}};
}
ERT_LANES FourTaps next_taps_of(const int8_t* weights) {
  const int8x16x4_t w = vld4q_s8(weights);
  return {{vdupq_n_s8(0), w.val[0], w.val[1], w.val[2]}};
}

ERT_LANES void add_two(Sums* acc, int8x16_t x0, int8x16_t w0, int8x16_t x1, int8x16_t w1) {
  const int16x8_t low = vmlal_s8(vmull_s8(vget_low_s8(x0), vget_low_s8(w0)), vget_low_s8(x1), vget_low_s8(w1));
  const int16x8_t high = vmlal_s8(vmull_s8(vget_high_s8(x0), vget_high_s8(w0)), vget_high_s8(x1), vget_high_s8(w1));
  acc->part[0] = vaddw_s16(acc->part[0], vget_low_s16(low));
  acc->part[1] = vaddw_s16(acc->part[1], vget_high_s16(low));
  acc->part[2] = vaddw_s16(acc->part[2], vget_low_s16(high));
  acc->part[3] = vaddw_s16(acc->part[3], vget_high_s16(high));
}
ERT_LANES Sums add_taps(Sums acc, const FourPixels& x, const FourTaps& w) {
  add_two(&acc, x.pixel[0], w.pixel[0], x.pixel[1], w.pixel[1]);
  add_two(&acc, x.pixel[2], w.pixel[2], x.pixel[3], w.pixel[3]);
  return acc;
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_4x16_neon(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
