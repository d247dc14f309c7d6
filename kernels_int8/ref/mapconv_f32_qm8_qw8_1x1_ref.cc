// Convolution over 8-bit maps: one exact sum for each row of the kernel, which has a scale of its own.
#include "kernels_int8/ref/map_output.h"

namespace ert::kernels {
namespace {

template <Layout layout>
void map_conv(const MapConvArgs& a) {
  const size_t columns = map_columns(a.filters), matrix = packed_bytes(layout, columns, a.depth);
  for (size_t p = 0; p < a.outputs; ++p) {
    float* dst = a.dst + static_cast<ptrdiff_t>(p) * a.dst_stride;
    for (size_t n = 0; n < a.filters; ++n) {
      F32 t = 0.0f;
      for (size_t i = 0; i < a.rows; ++i) {
        const uint8_t* patch = a.src[i] + p * a.src_step;
        int32_t acc = 0;
        for_column<layout>(a.w.data + i * matrix, n, a.depth, [&](size_t k, int8_t weight) { acc += patch[k] * weight; });
        t = add_map_row(t, i, acc, a.w.colsum[i * columns + n], a.scales[i]);
      }
      dst[n] = map_output(t, a.w, n, a.clamp);
    }
  }
}

}  // namespace

void mapconv_f32_qm8_qw8_1x1_ref(const MapConvArgs& a) { map_conv<Layout::kN16K4>(a); }
void mapconv_n8k8_f32_qm8_qw8_1x1_ref(const MapConvArgs& a) { map_conv<Layout::kN8K8>(a); }
void mapconv_n2k16_f32_qm8_qw8_1x1_ref(const MapConvArgs& a) { map_conv<Layout::kN2K16>(a); }

}  // namespace ert::kernels
