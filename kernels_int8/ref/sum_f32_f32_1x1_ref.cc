// Sums of a row in the canonical order: 16 lanes, then the tree.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

float sum_f32_f32_1x1_ref(size_t n, const float* src) {
  LaneSum sum;
  for (size_t i = 0; i < n; ++i) sum.add(i, src[i]);
  return to_float(sum.total());
}

float sumsq_f32_f32_1x1_ref(size_t n, const float* src) {
  LaneSum sum;
  for (size_t i = 0; i < n; ++i) sum.add(i, F32(src[i]) * F32(src[i]));
  return to_float(sum.total());
}

}  // namespace ert::kernels
