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

// Three taps of four channels as floats, which hold the integers that occur: multiply and add are one instruction there. A sum begins at what the zero point takes off, never -0, so that
// no sum is.
constexpr int kTaps = 3;
static_assert(kTaps * 2 * 255 * 127 < 1 << 24, "products and zero points of a row are exact");
struct ThreeTaps {
  float32x4_t w0, w1, w2, start;
  inline __attribute__((always_inline)) ThreeTaps(const FourWeights& w, int32x4_t from)
      : w0(vcvtq_f32_s32(w.tap[0])), w1(vcvtq_f32_s32(w.tap[1])), w2(vcvtq_f32_s32(w.tap[2])), start(vcvtq_f32_s32(from)) {}
};

inline __attribute__((always_inline)) float32x4_t pixel(const uint8_t* x) { return vcvtq_f32_u32(vldrbq_u32(x)); }

enum class KernelRow { kFirst, kInner, kLast };

// Outputs as far apart as taps, so that a pixel is loaded once.
struct Neighbours {
  ThreeTaps taps;
  float scale;
  size_t step, dst_step;  // in bytes
  // What the last row ends with, four each; from memory, because no register is left.
  const float *of_channels, *bias;
  const int32_t* least;
};
// x0 and x1 have been loaded, x2 is; x0 is lost. As asm, because all eight registers are in use, and GCC 12 asks for more.
template <KernelRow kRow>
inline __attribute__((always_inline)) void neighbour(const Neighbours& n, float32x4_t& x0, const float32x4_t& x1, float32x4_t& x2,
                                                     const uint8_t*& x, float*& to) {
  float32x4_t t;
#define ERT_SUMS                                                                                                            \
  "vldrb.u32 %q[x2], [%[x]]\n\tadd %[x], %[step]\n\tvcvt.f32.u32 %q[x2], %q[x2]\n\tvmov %q[t], %q[start]\n\t"                \
  "vfma.f32 %q[t], %q[x0], %q[w0]\n\tvfma.f32 %q[t], %q[x1], %q[w1]\n\tvfma.f32 %q[t], %q[x2], %q[w2]\n\tvmul.f32 %q[t], " \
  "%q[t], %[scale]\n\t"
#define ERT_ADDED "vldrw.u32 %q[x0], [%[to]]\n\tvadd.f32 %q[t], %q[t], %q[x0]\n\t"
#define ERT_FINISHED                                                                                                          \
  "vldrw.u32 %q[x0], [%[of_channels]]\n\tvmul.f32 %q[t], %q[t], %q[x0]\n\tvldrw.u32 %q[x0], [%[bias]]\n\tvadd.f32 %q[t], " \
  "%q[t], %q[x0]\n\tvldrw.u32 %q[x0], [%[least]]\n\tvmax.s32 %q[t], %q[t], %q[x0]\n\t"
#define ERT_STORED "vstrw.32 %q[t], [%[to]]\n\tadd %[to], %[dst_step]"
#define ERT_RESULTS [x0] "+w"(x0), [x2] "=&w"(x2), [t] "=&w"(t), [x] "+r"(x), [to] "+r"(to)
#define ERT_OPERANDS                                                                                          \
  [x1] "w"(x1), [w0] "w"(n.taps.w0), [w1] "w"(n.taps.w1), [w2] "w"(n.taps.w2), [start] "w"(n.taps.start), \
      [scale] "r"(n.scale), [step] "r"(n.step), [dst_step] "r"(n.dst_step)
  if constexpr (kRow == KernelRow::kFirst) {
    __asm__ volatile(ERT_SUMS ERT_STORED : ERT_RESULTS : ERT_OPERANDS : "memory");
  } else if constexpr (kRow == KernelRow::kInner) {
    __asm__ volatile(ERT_SUMS ERT_ADDED ERT_STORED : ERT_RESULTS : ERT_OPERANDS : "memory");
  } else {
    __asm__ volatile(ERT_SUMS ERT_ADDED ERT_FINISHED ERT_STORED
                     : ERT_RESULTS
                     : ERT_OPERANDS, [of_channels] "r"(n.of_channels), [bias] "r"(n.bias), [least] "r"(n.least)
                     : "memory");
  }
#undef ERT_OPERANDS
#undef ERT_RESULTS
#undef ERT_STORED
#undef ERT_FINISHED
#undef ERT_ADDED
#undef ERT_SUMS
}

// Row i of a kernel of three taps, whole fours of channels.
template <KernelRow kRow>
__attribute__((noinline)) void three_taps(const MapDepthwiseArgs& a, size_t i) {
  const size_t width = map_columns(a.channels), tap = a.src_tap, step = a.src_step, channels = a.channels, outputs = a.outputs;
  const int8_t* weights = a.w.data + i * 4 * width;
  const int32_t* colsum = a.w.colsum + i * width;
  const uint8_t* src = a.src[i];
  const float scale = a.scales[i].scale;
  float* dst = a.dst;
  alignas(16) int32_t least[4];
  alignas(16) float no_bias[4];  // x + -0 is x
  vst1q_s32(least, least_bits(a.clamp));
  vst1q_f32(no_bias, vdupq_n_f32(-0.0f));
  for (size_t c = 0; c + 4 <= channels; c += 4, weights += 16, colsum += 4, src += 4, dst += 4) {
    const ThreeTaps taps(FourWeights(weights), start_of(colsum, a.scales[i]));
    float* to = dst;
    if (step == tap) {
      const Neighbours n = {taps, scale, step, channels * sizeof(float), a.w.scale + c, a.w.bias != nullptr ? a.w.bias + c : no_bias, least};
      const uint8_t* x = src + 2 * step;
      float32x4_t x0 = pixel(src), x1 = pixel(src + step), x2;
      size_t p = outputs;
      for (; p >= 3; p -= 3) {
        neighbour<kRow>(n, x0, x1, x2, x, to);
        neighbour<kRow>(n, x1, x2, x0, x, to);
        neighbour<kRow>(n, x2, x0, x1, x, to);
      }
      if (p > 0) neighbour<kRow>(n, x0, x1, x2, x, to);
      if (p > 1) neighbour<kRow>(n, x1, x2, x0, x, to);
    } else {
      const uint8_t *x0 = src, *x1 = x0 + tap, *x2 = x1 + tap;
      for (size_t p = outputs; p > 0; --p, x0 += step, x1 += step, x2 += step, to += channels) {
        const float32x4_t sums = vfmaq_f32(vfmaq_f32(vfmaq_f32(taps.start, pixel(x0), taps.w0), pixel(x1), taps.w1), pixel(x2), taps.w2);
        float32x4_t t = vmulq_n_f32(sums, scale);
        if constexpr (kRow != KernelRow::kFirst) t = vaddq_f32(vld1q_f32(to), t);
        if constexpr (kRow == KernelRow::kLast) t = Finish(a, c, WholeFour{})(t);
        vst1q_f32(to, t);
      }
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
    three_taps<KernelRow::kFirst>(a, 0);
    for (size_t i = 1; i + 1 < a.rows; ++i) three_taps<KernelRow::kInner>(a, i);
    three_taps<KernelRow::kLast>(a, a.rows - 1);
    c = a.channels / 4 * 4;
  }
  for (; c + 4 <= a.channels; c += 4) any_taps(a, c, WholeFour{});
  if (c < a.channels) any_taps(a, c, first_of_four(a.channels - c));
  if (a.clamp == Clamp::kRelu6) below_six(a.outputs * a.channels, a.dst);
}

}  // namespace ert::kernels
