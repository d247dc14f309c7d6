// Dense convolution in place: every output adds its products in the order of the kernel's rows, taps and channels, multiply and add rounded apart.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {

void direct_f32_f32_f32_1x1_ref(const DirectArgs& a) {
  const float* pixel = a.src;
  float* dst = a.dst;
  for (size_t p = 0; p < a.outputs; ++p, pixel += a.src_step, dst += a.filters) {
    for (size_t n = 0; n < a.filters; ++n) {
      F32 acc = 0.0f;
      const float* row = pixel;
      const float* weights = a.weights + n;
      for (size_t i = 0; i < a.rows; ++i, row += a.src_row, weights += a.weights_row) {
        // Offsets that are added to: cores without vector units run this, and multiplying would double the loop.
        const float *tap = row, *w = weights;
        for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap) {
          const float* x = tap;
          for (size_t c = 0; c < a.channels; ++c, x += a.src_channel, w += a.filters) acc = acc + F32(*x) * F32(*w);
        }
      }
      dst[n] = to_float(clamped(a.clamp, a.bias != nullptr ? acc + F32(a.bias[n]) : acc));
    }
  }
}

}  // namespace ert::kernels
