// The inner step of the fp32 tiles of simd/ on AArch64, in the order of its source: GCC 12 loads all factors first and keeps sums in memory for want of registers, and
// in-order cores wait for a product that the next instruction reads. Hence volatile asm. Include it behind lanes16_neon.h, before them. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "32 registers"
#endif

#include "kernels_int8/neon/lanes16_neon.h"

#define ERT_ORDERED_PRODUCTS 1

namespace ert::kernels {
namespace {

ERT_LANES float32x4_t ordered_factor(const float* p) {
  float32x4_t factor;
  __asm__ volatile("ldr %s0, %1" : "=w"(factor) : "m"(*p));
  return factor;
}
ERT_LANES float32x4_t ordered_product(float32x4_t b, float32x4_t factor) {
  float32x4_t product;
  __asm__ volatile("fmul %0.4s, %1.4s, %2.s[0]" : "=w"(product) : "w"(b), "w"(factor));
  return product;
}
ERT_LANES void ordered_sum(float32x4_t* acc, float32x4_t product) { __asm__ volatile("fadd %0.4s, %0.4s, %1.4s" : "+w"(*acc) : "w"(product)); }

// acc[r][p] + a[r * stride] * b[p]; multiply and add are rounded apart. Factors are loaded two rows ahead.
template <int kRows, int kPanels>
ERT_LANES void add_products(Lanes (&acc)[kRows][kPanels], const float* a, ptrdiff_t stride, const Lanes (&b)[kPanels]) {
  if constexpr (kRows == 1) {  // nothing to order: the compiler's addresses take fewer instructions
    const Lanes factor = broadcast(a[0]);
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) acc[0][p] = acc[0][p] + factor * b[p];
    return;
  }
  float32x4_t factor[kRows];
#pragma GCC unroll 2
  for (int r = 0; r < kRows && r < 2; ++r) factor[r] = ordered_factor(a + r * stride);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) {
      const float32x4_t y0 = ordered_product(b[p].q0, factor[r]), y1 = ordered_product(b[p].q1, factor[r]);
      if (p == 0 && r + 2 < kRows) factor[r + 2] = ordered_factor(a + (r + 2) * stride);
      const float32x4_t y2 = ordered_product(b[p].q2, factor[r]), y3 = ordered_product(b[p].q3, factor[r]);
      ordered_sum(&acc[r][p].q0, y0);
      ordered_sum(&acc[r][p].q1, y1);
      ordered_sum(&acc[r][p].q2, y2);
      ordered_sum(&acc[r][p].q3, y3);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
