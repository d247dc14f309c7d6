// Dense convolution of this level in place, written once in simd/.
#include "kernels_int8/neon/ordered_products.h"

#include "kernels_int8/simd/direct16.h"

namespace ert::kernels {

void direct_f32_f32_f32_6x16_neon(const DirectArgs& a) { direct_row(a); }

}  // namespace ert::kernels
