// Dense convolution of this level in place, written once in simd/.
#include "kernels_int8/mve/lanes16_mve.h"

#include "kernels_int8/simd/direct16.h"

namespace ert::kernels {

void direct_f32_f32_f32_1x16_mve(const DirectArgs& a) { direct_row(a); }

}  // namespace ert::kernels
