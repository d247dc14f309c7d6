// The values of a row of an 8-bit map.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {

void maprestore_f32_qm8_1x1_ref(const MapRestoreArgs& a) {
  const uint8_t* src = a.src;
  float* dst = a.dst;
  for (size_t p = 0; p < a.pixels; ++p) {
    for (size_t c = 0; c < a.channels; ++c, ++dst) {
      F32 x = F32(static_cast<float>(*src++ - a.scale.zero_point)) * F32(a.scale.scale);
      if (a.factors != nullptr) x = x * F32(a.factors[c]);
      *dst = to_float(clamped(a.clamp, a.add ? F32(*dst) + x : x));
    }
  }
}

}  // namespace ert::kernels
