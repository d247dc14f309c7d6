// Depthwise convolution over 8-bit maps of Helium: a row of the kernel after the other, four channels at a time; between rows dst has the fp32 sums.
#include "kernels_int8/mve/map_values_mve.h"

namespace ert::kernels {
namespace {

// Four weights of four channels each, as they lie in N16K4: taps 0 to 3.
struct FourWeights {
  int32x4_t tap[4];
  inline __attribute__((always_inline)) explicit FourWeights(const int8_t* line) {
    const int8x16_t w = vldrbq_s8(line);
    const int16x8_t even = vmovlbq_s8(w), odd = vmovltq_s8(w);
    tap[0] = vmovlbq_s16(even);
    tap[1] = vmovlbq_s16(odd);
    tap[2] = vmovltq_s16(even);
    tap[3] = vmovltq_s16(odd);
  }
};

inline __attribute__((always_inline)) int32x4_t times(const uint8_t* x, int32x4_t weights) {
  return vmulq_s32(vreinterpretq_s32_u32(vldrbq_u32(x)), weights);
}

// The last steps of four channels.
struct Finish {
  float32x4_t scale, bias;
  int32x4_t least;
  template <class Four>
  inline __attribute__((always_inline)) Finish(const MapDepthwiseArgs& a, size_t channel, Four four)
      : scale(four.load(a.w.scale + channel)),
        bias(a.w.bias != nullptr ? four.load(a.w.bias + channel) : vdupq_n_f32(-0.0f)),  // x + -0 is x
        least(least_bits(a.clamp)) {}
  inline __attribute__((always_inline)) float32x4_t operator()(float32x4_t t) const {
    return at_least(vaddq_f32(vmulq_f32(t, scale), bias), least);
  }
};

// What the zero point takes off the sums of four channels.
inline __attribute__((always_inline)) int32x4_t start_of(const int32_t* colsum, const RowScale& row) {
  return vmulq_n_s32(vld1q_s32(colsum), -row.zero_point);
}

// What the outputs of a row of three taps have in common: four channels, and outputs as far apart as taps, so that a pixel is loaded once.
struct Neighbours {
  int32x4_t w0, w1, w2, start;
  float scale;
  size_t step, dst_step;  // in bytes
};
// x0 and x1 have been loaded, x2 is; of x0 becomes the sum. As asm, because all eight registers are in use, and GCC 12 asks for more.
template <bool kFirst>
inline __attribute__((always_inline)) void neighbour(const Neighbours& n, int32x4_t& x0, const int32x4_t& x1, int32x4_t& x2,
                                                     const uint8_t*& x, float*& to) {
  int32x4_t t;
#define ERT_SUMS                                                                                                               \
  "vldrb.u32 %q[x2], [%[x]]\n\tadd %[x], %[step]\n\tvmul.i32 %q[x0], %q[x0], %q[w0]\n\tvadd.i32 %q[x0], %q[x0], %q[start]\n\t" \
  "vmul.i32 %q[t], %q[x1], %q[w1]\n\tvadd.i32 %q[x0], %q[x0], %q[t]\n\tvmul.i32 %q[t], %q[x2], %q[w2]\n\tvadd.i32 %q[x0], "    \
  "%q[x0], %q[t]\n\t"                                                                                                          \
  "vcvt.f32.s32 %q[x0], %q[x0]\n\tvmul.f32 %q[x0], %q[x0], %[scale]\n\t"
#define ERT_OPERANDS                                        \
  [x0] "+w"(x0), [x2] "=&w"(x2), [t] "=&w"(t), [x] "+r"(x), \
      [to] "+r"(to)                                         \
      : [x1] "w"(x1),                                       \
        [w0] "w"(n.w0),                                     \
        [w1] "w"(n.w1),                                     \
        [w2] "w"(n.w2),                                     \
        [start] "w"(n.start),                               \
        [scale] "r"(n.scale),                               \
        [step] "r"(n.step),                                 \
        [dst_step] "r"(n.dst_step)                          \
      : "memory"
  if constexpr (kFirst) {
    __asm__ volatile(ERT_SUMS "vstrw.32 %q[x0], [%[to]]\n\tadd %[to], %[dst_step]" : ERT_OPERANDS);
  } else {
    __asm__ volatile(
        ERT_SUMS
        "vldrw.u32 %q[t], [%[to]]\n\tvadd.f32 %q[x0], %q[x0], %q[t]\n\tvstrw.32 %q[x0], [%[to]]\n\tadd %[to], %[dst_step]"
        : ERT_OPERANDS);
  }
#undef ERT_SUMS
#undef ERT_OPERANDS
}

// Row i of a kernel of three taps, whole fours of channels.
template <bool kFirst, bool kLast>
__attribute__((noinline)) void three_taps(const MapDepthwiseArgs& a, size_t i) {
  const size_t width = map_columns(a.channels), tap = a.src_tap, step = a.src_step, channels = a.channels, outputs = a.outputs;
  const int8_t* weights = a.w.data + i * 4 * width;
  const int32_t* colsum = a.w.colsum + i * width;
  const uint8_t* src = a.src[i];
  const float scale = a.scales[i].scale;
  float* dst = a.dst;
  for (size_t c = 0; c + 4 <= channels; c += 4, weights += 16, colsum += 4, src += 4, dst += 4) {
    const FourWeights w(weights);
    const int32x4_t start = start_of(colsum, a.scales[i]);
    float* to = dst;
    if (step == tap) {
      const Neighbours n = {w.tap[0], w.tap[1], w.tap[2], start, scale, step, channels * sizeof(float)};
      const uint8_t* x = src + 2 * step;
      int32x4_t x0 = vreinterpretq_s32_u32(vldrbq_u32(src)), x1 = vreinterpretq_s32_u32(vldrbq_u32(src + step)), x2;
      size_t p = outputs;
      for (; p >= 3; p -= 3) {
        neighbour<kFirst>(n, x0, x1, x2, x, to);
        neighbour<kFirst>(n, x1, x2, x0, x, to);
        neighbour<kFirst>(n, x2, x0, x1, x, to);
      }
      if (p > 0) neighbour<kFirst>(n, x0, x1, x2, x, to);
      if (p > 1) neighbour<kFirst>(n, x1, x2, x0, x, to);
    } else {
      const uint8_t *x0 = src, *x1 = x0 + tap, *x2 = x1 + tap;
      for (size_t p = outputs; p > 0; --p, x0 += step, x1 += step, x2 += step, to += channels) {
        const int32x4_t sums =
            vaddq_s32(vaddq_s32(vaddq_s32(start, times(x0, w.tap[0])), times(x1, w.tap[1])), times(x2, w.tap[2]));
        float32x4_t t = vmulq_n_f32(vcvtq_f32_s32(sums), scale);
        if constexpr (!kFirst) t = vaddq_f32(vld1q_f32(to), t);
        vst1q_f32(to, t);
      }
    }
    if constexpr (kLast) {
      const Finish finish(a, c, WholeFour{});
      to = dst;
      for (size_t p = outputs; p > 0; --p, to += channels) vst1q_f32(to, finish(vld1q_f32(to)));
    }
  }
}

// Any kernel, some channels from c on.
template <class Four>
__attribute__((noinline)) void any_taps(const MapDepthwiseArgs& a, size_t c, Four four) {
  const size_t width = map_columns(a.channels), matrix = packed_bytes(Layout::kN16K4, width, a.taps), tap = a.src_tap;
  const Finish finish(a, c, four);
  float* dst = a.dst + c;
  for (size_t p = 0; p < a.outputs; ++p, dst += a.channels) {
    float32x4_t t = vdupq_n_f32(a.rows == 0 ? 0.0f : -0.0f);  // -0 + x is x
    const int8_t* weights = a.w.data + packed_offset(Layout::kN16K4, c, 0, a.taps);
    for (size_t i = 0; i < a.rows; ++i, weights += matrix) {
      int32x4_t sums = start_of(a.w.colsum + i * width + c, a.scales[i]);
      const uint8_t* x = a.src[i] + p * a.src_step + c;
      const int8_t* line = weights;
      for (size_t j = 0; j < a.taps; j += 4, line += 64) {  // behind the last tap weights are zero, and bytes can be read
        const FourWeights w(line);
#pragma GCC unroll 4
        for (int m = 0; m < 4; ++m, x += tap) sums = vaddq_s32(sums, times(x, w.tap[m]));
      }
      t = vaddq_f32(t, vmulq_n_f32(vcvtq_f32_s32(sums), a.scales[i].scale));
    }
    four.store(dst, finish(t));
  }
}

}  // namespace

void mapdepthwise_f32_qm8_qw8_1x4_mve(const MapDepthwiseArgs& a) {
  size_t c = 0;
  if (a.taps == 3 && a.rows > 1) {
    three_taps<true, false>(a, 0);
    for (size_t i = 1; i + 1 < a.rows; ++i) three_taps<false, false>(a, i);
    three_taps<false, true>(a, a.rows - 1);
    c = a.channels / 4 * 4;
  }
  for (; c + 4 <= a.channels; c += 4) any_taps(a, c, WholeFour{});
  if (c < a.channels) any_taps(a, c, first_of_four(a.channels - c));
  if (a.clamp == Clamp::kRelu6) below_six(a.outputs * a.channels, a.dst);
}

}  // namespace ert::kernels
