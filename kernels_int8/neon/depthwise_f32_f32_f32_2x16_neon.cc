// Depthwise convolution of this level, written once in simd/.
#include "kernels_int8/neon/lanes16_neon.h"

#include "kernels_int8/simd/depthwise_pairs16.h"

namespace ert::kernels {

void depthwise_f32_f32_f32_2x16_neon(const DepthwiseArgs& a) { depthwise_row_in_pairs<2>(a); }

}  // namespace ert::kernels
