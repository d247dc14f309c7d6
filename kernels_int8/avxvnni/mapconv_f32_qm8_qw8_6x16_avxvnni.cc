// Convolution over 8-bit maps with 256-bit VNNI: 6 outputs x 16 filters.
#include "kernels_int8/avxvnni/map_sums.h"

namespace ert::kernels {
namespace {

constexpr int kMapOutputs = 6;

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  for (size_t c = 0; c < k; c += 4, weights += 64) {
    const __m256i w0 = half_line(weights), w1 = half_line(weights + 32);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const __m256i x = broadcast4(src + c + static_cast<size_t>(r) * step);
      mac(acc[r].part[0], x, w0);
      mac(acc[r].part[1], x, w1);
    }
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"

namespace ert::kernels {

void ERT_AVXVNNI_NAME(mapconv_f32_qm8_qw8_6x16)(const MapConvArgs& a) { map_conv16(a); }

}  // namespace ert::kernels
