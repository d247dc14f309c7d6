// Depthwise convolution of this level, written once in simd/.
#include "kernels_int8/mve/lanes4_mve.h"

#include "kernels_int8/simd/depthwise16.h"

namespace ert::kernels {

void depthwise_f32_f32_f32_4x4_mve(const DepthwiseArgs& a) { depthwise_row<4>(a); }

}  // namespace ert::kernels
