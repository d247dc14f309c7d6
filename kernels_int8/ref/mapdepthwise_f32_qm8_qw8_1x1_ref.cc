// Depthwise convolution over 8-bit maps: one exact sum for each row of the kernel, which has a scale of its own.
#include "kernels_int8/ref/map_output.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_1x1_ref(const MapDepthwiseArgs& a) {
  const size_t columns = map_columns(a.channels), matrix = packed_bytes(Layout::kN16K4, columns, a.taps);
  float* dst = a.dst;
  for (size_t p = 0; p < a.outputs; ++p, dst += a.channels) {
    for (size_t c = 0; c < a.channels; ++c) {
      F32 t = 0.0f;
      for (size_t i = 0; i < a.rows; ++i) {
        const uint8_t* tap = a.src[i] + p * a.src_step + c;
        int32_t acc = 0;
        for_column<Layout::kN16K4>(a.w.data + i * matrix, c, a.taps,
                                   [&](size_t j, int8_t weight) { acc += tap[j * a.src_tap] * weight; });
        t = add_map_row(t, i, acc, a.w.colsum[i * columns + c], a.scales[i]);
      }
      dst[c] = map_output(t, a.w, c, a.clamp);
    }
  }
}

}  // namespace ert::kernels
