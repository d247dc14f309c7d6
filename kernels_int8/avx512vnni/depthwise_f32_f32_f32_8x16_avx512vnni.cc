// Depthwise convolution of this level, written once in simd/.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/simd/depthwise_pairs16.h"

namespace ert::kernels {

void depthwise_f32_f32_f32_8x16_avx512vnni(const DepthwiseArgs& a) { depthwise_row_in_pairs<8>(a); }

}  // namespace ert::kernels
