// Depthwise convolution: every output adds its products in the order of the kernel's rows and taps, multiply and add rounded apart.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {

void depthwise_f32_f32_f32_1x1_ref(const DepthwiseArgs& a) {
  const float* pixel = a.src;
  float* dst = a.dst;
  for (size_t p = 0; p < a.outputs; ++p, pixel += a.src_step, dst += a.pixel) {
    for (size_t c = 0; c < a.channels; ++c) {
      F32 acc = a.bias != nullptr ? a.bias[c] : 0.0f;
      const float* row = pixel + c;
      const float* weights = a.weights + c;
      for (size_t i = 0; i < a.rows; ++i, row += a.src_row, weights += a.weights_row) {
        // Offsets that are added to: cores without vector units run this, and multiplying would double the loop.
        const float *x = row, *w = weights;
        for (size_t j = 0; j < a.taps; ++j, x += a.src_tap, w += a.pixel) acc = acc + F32(*x) * F32(*w);
      }
      dst[c] = to_float(clamped(a.clamp, acc));
    }
  }
}

}  // namespace ert::kernels
