// Dense convolution of this level in place, written once in simd/; of few filters by direct_planes.h or direct_few_filters.h.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/avx512vnni/direct_few_filters.h"
#include "kernels_int8/avx512vnni/direct_planes.h"

namespace ert::kernels {

void direct_f32_f32_f32_8x32_avx512vnni(const DirectArgs& a) {
  if (has_few_filters(a)) return direct_few_filters(a);
  direct_row_or_planes(a);
}

}  // namespace ert::kernels
