// Convolution over 8-bit maps for NEON: 2 outputs x 16 filters, on ARMv7 one output.
#include "kernels_int8/neon/gemm_tile.h"
#include "kernels_int8/neon/map_patches.h"

namespace ert::kernels {
namespace {

#ifdef __aarch64__
constexpr int kMapOutputs = 2;
#else
constexpr int kMapOutputs = 1;
#endif

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  multiply_signed<NeonSums>(acc, src, step, weights, k);
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"
#include "kernels_int8/neon/signed_patches.h"

namespace ert::kernels {

void mapconv_f32_qm8_qw8_2x16_neon(const MapConvArgs& a) { map_conv16(a, SignedPatches<NeonSums>{}); }

}  // namespace ert::kernels
