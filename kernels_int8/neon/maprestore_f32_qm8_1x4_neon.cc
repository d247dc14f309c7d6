// The values of a row of an 8-bit map, or added to others.
#include "kernels_int8/simd/map_rows.h"

namespace ert::kernels {

void maprestore_f32_qm8_1x4_neon(const MapRestoreArgs& a) { map_restore_row(a); }

}  // namespace ert::kernels
