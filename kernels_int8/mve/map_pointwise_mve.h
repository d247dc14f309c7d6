// Convolutions over 8-bit maps whose kernel has one row, on Helium: patches of up to three outputs become bytes q - 128 once for all filters, sixteen of one output behind those
// of another, so that one pointer walks through them. Weights N2K16. Internal linkage.
#pragma once

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/mve/map_values_mve.h"

namespace ert::kernels {
namespace {

constexpr size_t kPointwiseDepth = 128;  // of a patch, at most

#define ERT_ROW(a, b) \
  "vldrb.u8 %q[x], [%[row]], #16\n\tvmladava.s8 %[" a "], %q[x], %q[v]\n\tvmladava.s8 %[" b "], %q[x], %q[w]\n\t"
#define ERT_WEIGHTS "dls lr, %[n]\n1:\tvldrb.u8 %q[v], [%[at]], #16\n\tvldrb.u8 %q[w], [%[at]], #16\n\t"

// sums[r][c] of two filters, whose weights `at` moves on to the next. As asm, because sums need even registers, of which GCC 12 takes some for pointers.
template <int kRows>
inline __attribute__((always_inline)) void two_sums(int32_t (&sums)[kRows][2], const int8_t* row, const int8_t*& at, size_t n) {
  int32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  int8x16_t v, w, x;
  if constexpr (kRows == 3) {
    __asm__(ERT_WEIGHTS ERT_ROW("a", "b") ERT_ROW("c", "d") ERT_ROW("e", "f") "le lr, 1b"
            : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [e] "+Te"(e), [f] "+Te"(f), [at] "+r"(at), [row] "+r"(row),
              [v] "=&w"(v), [w] "=&w"(w), [x] "=&w"(x)
            : [n] "r"(n)
            : "lr", "memory");
    sums[2][0] = e, sums[2][1] = f;
  } else if constexpr (kRows == 2) {
    __asm__(ERT_WEIGHTS ERT_ROW("a", "b") ERT_ROW("c", "d") "le lr, 1b"
            : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [at] "+r"(at), [row] "+r"(row), [v] "=&w"(v), [w] "=&w"(w),
              [x] "=&w"(x)
            : [n] "r"(n)
            : "lr", "memory");
  } else {
    __asm__(ERT_WEIGHTS ERT_ROW("a", "b") "le lr, 1b"
            : [a] "+Te"(a), [b] "+Te"(b), [at] "+r"(at), [row] "+r"(row), [v] "=&w"(v), [w] "=&w"(w), [x] "=&w"(x)
            : [n] "r"(n)
            : "lr", "memory");
  }
  sums[0][0] = a, sums[0][1] = b;
  if constexpr (kRows > 1) sums[1][0] = c, sums[1][1] = d;
}
#undef ERT_ROW
#undef ERT_WEIGHTS

// kRows outputs from `first` on, of filters [0, end), whole fours. There is a bias.
template <int kRows>
__attribute__((noinline)) void pointwise(const MapConvArgs& a, size_t first, size_t end) {
  static_assert(kRows * kPointwiseDepth <= kMapConvScratch, "as much as there is");
  int8_t* const rows = static_cast<int8_t*>(a.scratch);
  const size_t n = round_up(a.depth, 16) / 16;
  const uint8_t* src = a.src[0] + first * a.src_step;
  for (int r = 0; r < kRows; ++r, src += a.src_step) {
    const int8_t* from = static_cast<const int8_t*>(static_cast<const void*>(src));
    int8_t* to = rows + r * 16;
    for (size_t i = n; i > 0; --i, from += 16, to += kRows * 16) vst1q_s8(to, veorq_s8(vld1q_s8(from), vdupq_n_s8(-128)));
  }
  const int8_t* weights = a.w.data;
  const int32_t* colsum = a.w.colsum;
  const float *scale = a.w.scale, *bias = a.w.bias;
  const int32_t zero_point = a.scales[0].zero_point - 128;
  const float of_row = a.scales[0].scale;
  const int32x4_t least = least_bits(a.clamp);
  const ptrdiff_t stride = a.dst_stride;
  float* dst = a.dst + static_cast<ptrdiff_t>(first) * stride;
  for (size_t left = end / 4; left > 0; --left, colsum += 4, scale += 4, bias += 4, dst += 4) {
    int32_t sums[kRows][4];
#pragma GCC unroll 2
    for (int pair = 0; pair < 2; ++pair) {
      int32_t two[kRows][2];
      two_sums<kRows>(two, rows, weights, n);
#pragma GCC unroll 3
      for (int r = 0; r < kRows; ++r) sums[r][2 * pair] = two[r][0], sums[r][2 * pair + 1] = two[r][1];
    }
    const int32x4_t shift = vmulq_n_s32(vld1q_s32(colsum), zero_point);
    const float32x4_t of_columns = vld1q_f32(scale), plus = vld1q_f32(bias);
#pragma GCC unroll 3
    for (int r = 0; r < kRows; ++r) {
      const float32x4_t t = vmulq_n_f32(vcvtq_f32_s32(vsubq_s32(vld1q_s32(sums[r]), shift)), of_row);
      vst1q_f32(dst + r * stride, at_least(vaddq_f32(vmulq_f32(t, of_columns), plus), least));
    }
  }
}

}  // namespace
}  // namespace ert::kernels
