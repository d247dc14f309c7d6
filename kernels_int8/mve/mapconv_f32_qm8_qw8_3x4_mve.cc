// Convolution over 8-bit maps of Helium: 3 outputs x 4 filters of N16K4 or N2K16, summed two filters at a time.
#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/mve/gemm_tile.h"
#include "kernels_int8/mve/map_pointwise_mve.h"
#include "kernels_int8/mve/map_short_rows_mve.h"

namespace ert::kernels {
namespace {

constexpr size_t kFilters = 4, kOutputs = 3;

// sums[r][c] of q - 128 of patches and two filters. As asm for N2K16, because GCC 12 has no register left for a pointer: sums need even ones.
template <Layout layout, int kRows>
inline __attribute__((always_inline)) void two_filters(int32_t (&sums)[kRows][2], const uint8_t* src, size_t step,
                                                       const int8_t* weights, size_t k) {
  accumulate<layout, kRows, RowBytes::kUnsigned>(sums, static_cast<const int8_t*>(static_cast<const void*>(src)), step, weights,
                                                 k);
}
#define ERT_ROW(row, a, b)                                                                                                     \
  "vldrb.u8 %q[x], [%[" row "]], #16\n\tveor %q[x], %q[x], %q[sign]\n\tvmladava.s8 %[" a "], %q[x], %q[v]\n\tvmladava.s8 %[" b \
  "], %q[x], %q[w]\n\t"
template <>
inline __attribute__((always_inline)) void two_filters<Layout::kN2K16, 3>(int32_t (&sums)[3][2], const uint8_t* src, size_t step,
                                                                          const int8_t* weights, size_t k) {
  const uint8_t *p = src, *q = p + step, *r = q + step;
  int32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  int8x16_t v, w, x;
  __asm__("dls lr, %[n]\n1:\tvldrb.u8 %q[v], [%[at]], #16\n\tvldrb.u8 %q[w], [%[at]], #16\n\t" ERT_ROW("p", "a", "b")
              ERT_ROW("q", "c", "d") ERT_ROW("r", "e", "f") "le lr, 1b"
          : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [e] "+Te"(e), [f] "+Te"(f), [at] "+r"(weights), [p] "+r"(p),
            [q] "+r"(q), [r] "+r"(r), [v] "=&w"(v), [w] "=&w"(w), [x] "=&w"(x)
          : [n] "r"(k / 16), [sign] "w"(vdupq_n_s8(-128))
          : "lr", "memory");
  sums[0][0] = a, sums[0][1] = b, sums[1][0] = c, sums[1][1] = d, sums[2][0] = e, sums[2][1] = f;
}
#undef ERT_ROW

// kRows outputs of filters [n, end), whole fours of columns that exist. scale, bias: of filter n.
template <Layout layout, int kRows>
__attribute__((noinline)) void tiles(const MapConvArgs& a, size_t first, size_t n, size_t end, const float* scale,
                                     const float* bias, float* dst, ptrdiff_t dst_stride) {
  const size_t k = round_up(a.depth, line_depth(layout)), rows = a.rows, columns = map_columns(a.filters), step = a.src_step,
               offset = first * step;
  const size_t matrix = columns * k, second_pair = panel_columns(layout) == 2 ? 2 * k : 2 * line_depth(layout);
  const uint8_t* const* src = a.src;
  const RowScale* scales = a.scales;
  const int32x4_t least = least_bits(a.clamp);
  const float before = rows == 0 ? 0.0f : -0.0f;  // -0 + x is x
  for (; n < end; n += kFilters, scale += kFilters, bias += kFilters, dst += kFilters) {
    float32x4_t t[kRows];
#pragma GCC unroll 3
    for (int r = 0; r < kRows; ++r) t[r] = vdupq_n_f32(before);
    const int8_t* weights = a.w.data + packed_offset(layout, n, 0, a.depth);
    const int32_t* colsum = a.w.colsum + n;
    for (size_t i = 0; i < rows; ++i, weights += matrix, colsum += columns) {
      int32_t sums[kRows][kFilters];
#pragma GCC unroll 2
      for (size_t pair = 0; pair < 2; ++pair) {
        int32_t two[kRows][2];
        two_filters<layout, kRows>(two, src[i] + offset, step, weights + (pair != 0 ? second_pair : 0), k);
#pragma GCC unroll 3
        for (int r = 0; r < kRows; ++r) sums[r][2 * pair] = two[r][0], sums[r][2 * pair + 1] = two[r][1];
      }
      const int32x4_t shift =
          vmulq_n_s32(vld1q_s32(colsum), scales[i].zero_point - 128);  // columns behind the filters have sums of 0
#pragma GCC unroll 3
      for (int r = 0; r < kRows; ++r) {
        const float32x4_t part = vmulq_n_f32(vcvtq_f32_s32(vsubq_s32(vld1q_s32(sums[r]), shift)), scales[i].scale);
        t[r] = vaddq_f32(t[r], part);
      }
    }
    const float32x4_t of_columns = vld1q_f32(scale), plus = vld1q_f32(bias);
#pragma GCC unroll 3
    for (int r = 0; r < kRows; ++r)
      vst1q_f32(dst + r * dst_stride, at_least(vaddq_f32(vmulq_f32(t[r], of_columns), plus), least));
  }
}

// Outputs from `first` on, of all filters. Tiles of fours that are cut, or have no bias, get copies.
template <Layout layout, int kRows>
void all_filters(const MapConvArgs& a, size_t first) {
  float* dst = a.dst + static_cast<ptrdiff_t>(first) * a.dst_stride;
  size_t n = 0;
  if (a.w.bias != nullptr) {
    n = a.filters / kFilters * kFilters;
    if (layout == Layout::kN2K16 && a.rows == 1 && a.depth <= kPointwiseDepth) {
      pointwise<kRows>(a, first, n);
    } else if (layout == Layout::kN16K4 && has_short_rows(a)) {
      short_rows_of<kRows>(a, first, n);
    } else {
      tiles<layout, kRows>(a, first, 0, n, a.w.scale, a.w.bias, dst, a.dst_stride);
    }
  }
  for (; n < a.filters; n += kFilters) {
    const PartOfFour present = first_of_four(a.filters - n);
    float scale[kFilters], bias[kFilters], whole[kRows * kFilters];
    vst1q_f32(scale, present.load(a.w.scale + n));
    vst1q_f32(bias, a.w.bias != nullptr ? present.load(a.w.bias + n) : vdupq_n_f32(-0.0f));  // x + -0 is x
    tiles<layout, kRows>(a, first, n, n + kFilters, scale, bias, whole, kFilters);
    for (int r = 0; r < kRows; ++r) present.store(dst + r * a.dst_stride + n, vld1q_f32(whole + r * kFilters));
  }
}

template <Layout layout>
void map_conv(const MapConvArgs& a) {
  for_even_blocks(a.outputs, kOutputs, [&](size_t first, size_t outputs) {
    if (outputs == 3) return all_filters<layout, 3>(a, first);
    outputs == 2 ? all_filters<layout, 2>(a, first) : all_filters<layout, 1>(a, first);
  });
  if (a.clamp == Clamp::kRelu6) {
    for (size_t p = 0; p < a.outputs; ++p) below_six(a.filters, a.dst + static_cast<ptrdiff_t>(p) * a.dst_stride);
  }
}

}  // namespace

void mapconv_f32_qm8_qw8_3x4_mve(const MapConvArgs& a) { map_conv<Layout::kN16K4>(a); }
void mapconv_n2k16_f32_qm8_qw8_3x4_mve(const MapConvArgs& a) { map_conv<Layout::kN2K16>(a); }

}  // namespace ert::kernels
