// Depthwise convolution of this level, written once in simd/.
#include "kernels_int8/avx2/lanes16_avx2.h"

#include "kernels_int8/simd/depthwise_pairs16.h"

namespace ert::kernels {

void depthwise_f32_f32_f32_6x16_avx2(const DepthwiseArgs& a) { depthwise_row_in_pairs<6>(a); }

}  // namespace ert::kernels
