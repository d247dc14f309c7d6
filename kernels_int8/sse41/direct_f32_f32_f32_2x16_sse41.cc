// Dense convolution of this level in place, written once in simd/.
#include "kernels_int8/sse41/lanes16_sse41.h"

#include "kernels_int8/simd/direct16.h"

namespace ert::kernels {

void direct_f32_f32_f32_2x16_sse41(const DirectArgs& a) { direct_row(a); }

}  // namespace ert::kernels
