// Patches of rows whose bytes are signed already (MapConvArgs::signed_bytes) are multiplied where they lie. Include map_patches.h and loops/map_conv16.h first. Internal linkage.
#pragma once

namespace ert::kernels {
namespace {

// For map_conv16. Product: as of multiply_signed.
template <class Product>
struct SignedPatches {
  template <int kOutputs>
  ERT_LANES void sum(Sums (&acc)[kOutputs], const MapConvArgs& a, size_t i, size_t first, const int32_t* colsum, const int8_t* weights,
                     size_t k) const {
    if (!a.signed_bytes) return PatchesInPlace{}.sum<kOutputs>(acc, a, i, first, colsum, weights, k);
    const Sums start = start_of_patches(colsum, a.scales[i].zero_point);
    const void* src = a.src[i] + first * a.src_step;
    int32x4_t sums[kOutputs][4];
    Product::run(sums, static_cast<const int8_t*>(src), a.src_step, weights, 16 * k, k);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc[r].part[j] = vaddq_s32(start.part[j], sums[r][j]);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
