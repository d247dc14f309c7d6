// Softmax of each row: subtract the maximum, exp, sum in canonical order, one division per row.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {
namespace {

void softmax_row(size_t n, const float* src, float* dst) {
  F32 max = -__builtin_inff();
  for (size_t i = 0; i < n; ++i) max = larger(src[i], max);
  if (max == F32(-__builtin_inff())) max = 0.0f;  // the row is zeros, but where there is a NaN
  LaneSum sum;
  for (size_t i = 0; i < n; ++i) {
    const F32 e = exp_or_zero(F32(src[i]) - max);
    dst[i] = to_float(e);
    sum.add(i, e);
  }
  const F32 total = sum.total();
  const F32 inv = total == F32(0.0f) ? total : F32(1.0f) / total;
  for (size_t i = 0; i < n; ++i) dst[i] = to_float(F32(dst[i]) * inv);
}

}  // namespace

void softmax_f32_f32_1x1_ref(size_t m, size_t n, const float* src, float* dst) {
  for (size_t i = 0; i < m; ++i) softmax_row(n, src + i * n, dst + i * n);
}

}  // namespace ert::kernels
