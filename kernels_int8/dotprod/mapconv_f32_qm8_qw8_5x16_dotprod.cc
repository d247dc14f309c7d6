// Convolution over 8-bit maps with sdot: 5 outputs x 16 filters.
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/neon/map_patches.h"

namespace ert::kernels {
namespace {

constexpr int kMapOutputs = 5;

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  multiply_signed<DotSums>(acc, src, step, weights, k);
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"

namespace ert::kernels {

void mapconv_f32_qm8_qw8_5x16_dotprod(const MapConvArgs& a) { map_conv16(a); }

}  // namespace ert::kernels
