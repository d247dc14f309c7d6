// Depthwise convolution over 8-bit maps of M4, M7 and M33: up to five neighbouring outputs of a channel. With three taps a pixel that several outputs read
// is loaded once.
#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/dsp/map_values.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

constexpr size_t kLineBytes = 64;  // to the next four taps of a channel

struct DepthwiseRow {
  const uint8_t* src;  // tap 0 of output 0
  F32 scale;
  int32_t minus_zero_point;
};

struct DepthwiseShape {
  DepthwiseRow rows[kMostMapRows];
  const DepthwiseRow* end;
  const MapDepthwiseArgs* a;
  size_t columns, matrix;  // columns and bytes between weights of two rows
  F32 before;
  ClampBits clamp;
};

// Outputs [first, first + kOutputs) of all channels. add_taps(sums, src, weights) adds what a row of the kernel gives.
template <int kOutputs, class AddTaps>
inline __attribute__((always_inline)) void block(const DepthwiseShape& s, size_t first, const AddTaps& add_taps) {
  const MapDepthwiseArgs& a = *s.a;
  const ptrdiff_t stride = static_cast<ptrdiff_t>(a.channels);
  float* dst = a.dst + first * a.channels;
  for (size_t c = 0; c < a.channels; ++c, ++dst) {
    F32 t[kOutputs];
#pragma GCC unroll 5
    for (int o = 0; o < kOutputs; ++o) t[o] = s.before;
    const int8_t* weights = a.w.data + packed_offset(Layout::kN16K4, c, 0, a.taps);
    const int32_t* colsum = a.w.colsum + c;
    const size_t offset = first * a.src_step + c;
#pragma GCC unroll 1
    for (const DepthwiseRow* row = s.rows; row != s.end; ++row, weights += s.matrix, colsum += s.columns) {
      int32_t sums[kOutputs];
      const int32_t start = row->minus_zero_point * *colsum;
#pragma GCC unroll 5
      for (int o = 0; o < kOutputs; ++o) sums[o] = start;
      add_taps(sums, row->src + offset, weights);
      const F32 scale = row->scale;
#pragma GCC unroll 5
      for (int o = 0; o < kOutputs; ++o) t[o] = t[o] + F32(static_cast<float>(sums[o])) * scale;
    }
    const F32 scale = a.w.scale[c], bias = a.w.bias != nullptr ? a.w.bias[c] : kNoBias;
#pragma GCC unroll 5
    for (int o = 0; o < kOutputs; ++o) dst[o * stride] = s.clamp.above_zero(t[o] * scale + bias);
  }
}

using BlockFn = void (*)(const DepthwiseShape& s, size_t first);

// Three taps; outputs are as far apart as taps.
template <int kOutputs>
__attribute__((noinline)) void neighbours_of_three(const DepthwiseShape& s, size_t first) {
  block<kOutputs>(
      s, first,
      [tap = s.a->src_tap](int32_t(&sums)[kOutputs], const uint8_t* src, const int8_t* weights) __attribute__((always_inline)) {
        const int32_t w0 = weights[0], w1 = weights[1], w2 = weights[2];
        int32_t x0 = *src, x1 = *(src += tap);
#pragma GCC unroll 5
        for (int o = 0; o < kOutputs; ++o) {
          const int32_t x2 = *(src += tap);
          sums[o] += x0 * w0;
          sums[o] += x1 * w1;
          sums[o] += x2 * w2;
          x0 = x1;
          x1 = x2;
        }
      });
}

// Three taps, any step.
__attribute__((noinline)) void three_taps(const DepthwiseShape& s, size_t first) {
  block<1>(
      s,
      first, [tap = s.a->src_tap](int32_t(&sums)[1], const uint8_t* src, const int8_t* weights) __attribute__((always_inline)) {
        sums[0] += src[0] * weights[0];
        sums[0] += src[tap] * weights[1];
        sums[0] += src[2 * tap] * weights[2];
      });
}

__attribute__((noinline)) void any_taps(const DepthwiseShape& s, size_t first) {
  block<1>(
      s, first, [ taps = s.a->taps, tap = s.a->
                  src_tap ](int32_t(&sums)[1], const uint8_t* src, const int8_t* weights) __attribute__((always_inline)) {
        for (size_t j = 0; j < taps; ++j, src += tap) sums[0] += *src * weights[j / 4 * kLineBytes + j % 4];
      });
}

}  // namespace

void mapdepthwise_f32_qm8_qw8_5x1_dsp(const MapDepthwiseArgs& a) {
  static constexpr BlockFn kNeighbours[] = {three_taps, neighbours_of_three<2>, neighbours_of_three<3>, neighbours_of_three<4>,
                                            neighbours_of_three<5>};
  DepthwiseShape s;
  s.end = s.rows + a.rows;
  s.a = &a;
  s.columns = map_columns(a.channels);
  s.matrix = packed_bytes(Layout::kN16K4, s.columns, a.taps);
  s.before = before_first_row(a.rows);
  s.clamp = clamp_bits(a.clamp);
  for (size_t i = 0; i < a.rows; ++i) s.rows[i] = {a.src[i], a.scales[i].scale, -a.scales[i].zero_point};
  const BlockFn one = a.taps == 3 ? three_taps : any_taps;
  for_even_blocks(a.outputs, a.taps == 3 && a.src_step == a.src_tap ? 5 : 1,
                  [&](size_t first, size_t outputs) { (outputs == 1 ? one : kNeighbours[outputs - 1])(s, first); });
  if (s.clamp.six) below_six(a.outputs * a.channels, a.dst, 1);
}

}  // namespace ert::kernels
