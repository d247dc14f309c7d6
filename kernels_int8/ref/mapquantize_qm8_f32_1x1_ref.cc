// A row of an 8-bit map from its values.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {
void mapquantize_qm8_f32_1x1_ref(const MapQuantizeArgs& a) {
  const auto value = [&](size_t i) {
    return a.factors != nullptr ? F32(a.src[i]) * F32(a.factors[i % a.channels]) : F32(a.src[i]);
  };
  *a.scale = quantize_qa8_values(a.pixels * a.channels, value,
                                 [&](size_t i, int32_t q, int32_t) { a.dst[i] = static_cast<uint8_t>(q); });
}

}  // namespace ert::kernels
