// Products of W12A13 for NEON: 2 outputs x 16 columns, on ARMv7 one output. Sums of the two values of a pair lie side by side until the end of a piece.
#include "kernels_int8/neon/lanes16_neon.h"

namespace ert::kernels {
namespace {

#ifdef __aarch64__
constexpr int kWideOutputs = 2;  // of three the sums and what they take leave no register, and GCC 12 spills
#else
constexpr int kWideOutputs = 1;
#endif
constexpr int kWidePanels = 1, kWideSums = 1;

ERT_LANES int32x4_t sum_of_neighbours(int32x4_t a, int32x4_t b) {
#ifdef __aarch64__
  return vpaddq_s32(a, b);
#else
  return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
#endif
}

struct Sums {
  int32x4_t low[4], high[4];  // of columns 4 * j and on: those of a pair's two values are neighbours
};
ERT_LANES Sums zero_sums() {
  const int32x4_t zero = vdupq_n_s32(0);
  return {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
}
ERT_LANES Lanes to_lanes(const Sums& s) {
  return {vcvtq_f32_s32(sum_of_neighbours(s.low[0], s.high[0])), vcvtq_f32_s32(sum_of_neighbours(s.low[1], s.high[1])),
          vcvtq_f32_s32(sum_of_neighbours(s.low[2], s.high[2])), vcvtq_f32_s32(sum_of_neighbours(s.low[3], s.high[3]))};
}

template <int kOutputs, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs][1], const int16_t* weights, size_t, const Pair& pair) {
  int16x8_t x[kOutputs];
#pragma GCC unroll 4
  for (int r = 0; r < kOutputs; ++r) x[r] = vreinterpretq_s16_s32(vdupq_n_s32(pair(r)));
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const int16x8_t w = vld1q_s16(weights + 8 * j);
#pragma GCC unroll 4
    for (int r = 0; r < kOutputs; ++r) {
      acc[r][0].low[j] = vmlal_s16(acc[r][0].low[j], vget_low_s16(w), vget_low_s16(x[r]));
      acc[r][0].high[j] = vmlal_s16(acc[r][0].high[j], vget_high_s16(w), vget_high_s16(x[r]));
    }
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/wide16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_2x16_neon(const WideArgs& a) { wide16(a); }
void gemm_f32_qa13_qw12_2x16_neon(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
