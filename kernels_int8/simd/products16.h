// The inner step of the fp32 tiles of gemm16.h and direct16.h, 16 lanes a panel. Include a lanes16_<isa>.h first; a level may have a step of its own
// (neon/ordered_products.h).
#pragma once

#ifndef ERT_ORDERED_PRODUCTS
namespace ert::kernels {
namespace {

// acc[r][p] + a[r * stride] * b[p]; multiply and add are rounded apart.
template <int kRows, int kPanels>
ERT_LANES void add_products(Lanes (&acc)[kRows][kPanels], const float* a, ptrdiff_t stride, const Lanes (&b)[kPanels]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const Lanes factor = broadcast(a[r * stride]);
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = acc[r][p] + factor * b[p];
  }
}

}  // namespace
}  // namespace ert::kernels
#endif
