// A row of an 8-bit map from its values.
#include "kernels_int8/simd/map_rows.h"

namespace ert::kernels {

void mapquantize_qm8_f32_1x4_neon(const MapQuantizeArgs& a) { map_quantize_row(a); }

}  // namespace ert::kernels
