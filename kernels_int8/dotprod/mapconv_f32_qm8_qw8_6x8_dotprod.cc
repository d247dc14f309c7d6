// Convolution over 8-bit maps with sdot: 6 outputs x 8 filters; where a few patches are longer than map_halves.h has room for, 5 x 16.
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/dotprod/raised_map_sums.h"
#include "kernels_int8/neon/map_halves.h"
#include "kernels_int8/neon/map_patches.h"

namespace ert::kernels {
namespace {

constexpr int kMapOutputs = 5;  // of the long patches

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  multiply_signed<DotSums>(acc, src, step, weights, k);
}

struct DotMapSums {
  static constexpr int32_t kStart = 0;
  static constexpr bool kFirstRowApart = true;
  static constexpr size_t kOutputsAtOnce = 1;
  static inline __attribute__((always_inline)) float32x4_t to_floats(int32x4_t sum) { return vcvtq_f32_s32(sum); }

  template <int kLane, int kOutputs>
  static inline __attribute__((always_inline)) void line(int32x4_t (&acc)[kOutputs][2], const int8x16_t (&a)[kOutputs],
                                                         const int8_t* rhs) {
#pragma GCC unroll 2
    for (int q = 0; q < 2; ++q) {
      const int8x16_t b = vld1q_s8(rhs + 64 * kLane + 16 * q);
#pragma GCC unroll 8
      for (int r = 0; r < kOutputs; ++r) DotSums::mac<kLane>(acc[r][q], b, a[r]);
    }
  }

  template <int kOutputs>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kOutputs][2], const int8_t* lhs, size_t step,
                                                        const int8_t* rhs, size_t k4, const int32_t* start, const LineBlocks*) {
    const int8_t* row[kOutputs];
#pragma GCC unroll 8
    for (int r = 0; r < kOutputs; ++r) {
      row[r] = lhs + static_cast<size_t>(r) * step;
      acc[r][0] = load_start(start);
      acc[r][1] = load_start(start + 4);
    }
    int8x16_t a[kOutputs];
    size_t kk = 0;
    for (; kk + 16 <= k4; kk += 16, rhs += 256) {
#pragma GCC unroll 8
      for (int r = 0; r < kOutputs; ++r) a[r] = vld1q_s8(row[r] + kk);
      line<0>(acc, a, rhs);
      line<1>(acc, a, rhs);
      line<2>(acc, a, rhs);
      line<3>(acc, a, rhs);
    }
    if (kk == k4) return;
#pragma GCC unroll 8
    for (int r = 0; r < kOutputs; ++r) a[r] = vld1q_s8(row[r] + kk);
    line<0>(acc, a, rhs);
    if (k4 - kk > 4) line<1>(acc, a, rhs);
    if (k4 - kk > 8) line<2>(acc, a, rhs);
  }
};

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"
#include "kernels_int8/neon/signed_patches.h"

namespace ert::kernels {

void mapconv_f32_qm8_qw8_6x8_dotprod(const MapConvArgs& a) {
  const bool done = a.depth <= kDepthOfRaised ? map_conv_halves<RaisedMapSums<DotMapSums>, 6>(a) : map_conv_halves<DotMapSums, 6>(a);
  if (!done) map_conv16(a, SignedPatches<DotSums>{});
}

}  // namespace ert::kernels
