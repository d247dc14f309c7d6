// Convolutions over 8-bit maps whose kernel has short rows, as the first layers of a network have, on Helium: the lanes are four filters, and each value of a patch is multiplied with
// four weights. Sixteen values of a row, as other forms take, would be zeros for the most part. Weights N16K4. Internal linkage.
#pragma once

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/mve/map_values_mve.h"

namespace ert::kernels {
namespace {

constexpr size_t kShortValues = 48;  // of all rows

inline bool has_short_rows(const MapConvArgs& a) {
  return a.rows > 1 && a.depth <= kShortDepth && a.rows * a.depth <= kShortValues;
}

// Where the weights of value j begin, four filters' behind each other.
constexpr size_t weights_of(size_t j) { return j / 4 * 64 + j % 4; }

// Two values of each patch times two weights of each filter. As asm, because GCC 12 loads the values one by one.
template <int kRows, bool kFirst>
inline __attribute__((always_inline)) void two_values(int32x4_t (&sums)[kRows], const int8_t* weights, uint32x4_t of_filters,
                                                      const int32_t* x) {
  const int32x4_t w0 = vldrbq_gather_offset_s32(weights, of_filters), w1 = vldrbq_gather_offset_s32(weights + 1, of_filters);
#pragma GCC unroll 3
  for (int r = 0; r < kRows; ++r) {
    int32_t x0, x1;
    __asm__("ldrd %0, %1, %2"
            : "=r"(x0), "=r"(x1)
            : "m"(*reinterpret_cast<const int32_t(*)[2]>(x + static_cast<size_t>(r) * kShortValues)));
    sums[r] = vmlaq_n_s32(kFirst ? vmulq_n_s32(w0, x0) : vmlaq_n_s32(sums[r], w0, x0), w1, x1);
  }
}

// kRows outputs from `first` on, of filters [0, end), whole fours. There is a bias. kDepth: a.depth, or 0.
template <int kRows, int kDepth>
__attribute__((noinline)) void short_rows(const MapConvArgs& a, size_t first, size_t end) {
  const size_t depth = kDepth != 0 ? kDepth : a.depth, matrix = packed_bytes(Layout::kN16K4, map_columns(a.filters), depth),
               rows = a.rows;
  static_assert(kRows * kShortValues * sizeof(int32_t) <= kMapConvScratch, "as much as there is");
  int32_t* const values = static_cast<int32_t*>(a.scratch);  // q - zero_point: of each output kShortValues
  for (int r = 0; r < kRows; ++r) {
    int32_t* to = values + static_cast<size_t>(r) * kShortValues;
    for (size_t i = 0; i < rows; ++i) {
      const uint8_t* from = a.src[i] + (first + static_cast<size_t>(r)) * a.src_step;
      const int zero_point = a.scales[i].zero_point;
      size_t j = 0;
      for (; j + 4 <= depth; j += 4, to += 4) vst1q_s32(to, vsubq_s32(vreinterpretq_s32_u32(vldrbq_u32(from + j)), vdupq_n_s32(zero_point)));
      for (; j < depth; ++j) *to++ = from[j] - zero_point;
    }
  }
  const uint32x4_t of_filters = vidupq_n_u32(0, 1) * line_depth(Layout::kN16K4);  // bytes from a filter to the next
  const RowScale* scales = a.scales;
  const int32x4_t least = least_bits(a.clamp);
  const ptrdiff_t stride = a.dst_stride;
  const float *scale = a.w.scale, *bias = a.w.bias;
  float* dst = a.dst + static_cast<ptrdiff_t>(first) * stride;
  for (size_t n = 0; n < end; n += 4, scale += 4, bias += 4, dst += 4) {
    float32x4_t t[kRows];
#pragma GCC unroll 3
    for (int r = 0; r < kRows; ++r) t[r] = vdupq_n_f32(-0.0f);  // -0 + x is x
    const int32_t* x = values;
    const int8_t* weights = a.w.data + packed_offset(Layout::kN16K4, n, 0, depth);
    for (size_t i = 0; i < rows; ++i, weights += matrix, x += depth) {
      int32x4_t sums[kRows];
      size_t j = 0;
      if (depth >= 2) {
        two_values<kRows, true>(sums, weights, of_filters, x);
#pragma GCC unroll 8
        for (j = 2; j + 2 <= depth; j += 2) two_values<kRows, false>(sums, weights + weights_of(j), of_filters, x + j);
      } else {
#pragma GCC unroll 3
        for (int r = 0; r < kRows; ++r) sums[r] = vdupq_n_s32(0);
      }
      if (j < depth) {
        const int32x4_t w = vldrbq_gather_offset_s32(weights + weights_of(j), of_filters);
#pragma GCC unroll 3
        for (int r = 0; r < kRows; ++r) sums[r] = vmlaq_n_s32(sums[r], w, x[static_cast<size_t>(r) * kShortValues + j]);
      }
      const float of_row = scales[i].scale;
#pragma GCC unroll 3
      for (int r = 0; r < kRows; ++r) t[r] = vaddq_f32(t[r], vmulq_n_f32(vcvtq_f32_s32(sums[r]), of_row));
    }
    const float32x4_t of_columns = vld1q_f32(scale), plus = vld1q_f32(bias);
#pragma GCC unroll 3
    for (int r = 0; r < kRows; ++r) vst1q_f32(dst + r * stride, at_least(vaddq_f32(vmulq_f32(t[r], of_columns), plus), least));
  }
}

template <int kRows>
void short_rows_of(const MapConvArgs& a, size_t first, size_t end) {
  a.depth == 4   ? short_rows<kRows, 4>(a, first, end)
  : a.depth == 9 ? short_rows<kRows, 9>(a, first, end)
                 : short_rows<kRows, 0>(a, first, end);
}

}  // namespace
}  // namespace ert::kernels
