// LayerNorm and RMSNorm with an optional residual: mean, then the mean square of the differences, then one pass.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"
#include "kernels_int8/ref/square_root.h"

namespace ert::kernels {
namespace {

struct Norm {
  const float* gamma;
  const float* beta;
  F32 eps;
  bool rms;
};

// x goes to dst first; dst may be the source or the residual.
void normalize_row(size_t n, const float* src, const float* residual, const Norm& norm, float* dst, float* sum_out) {
  LaneSum sum;
  for (size_t i = 0; i < n; ++i) {
    const F32 x = residual != nullptr ? F32(src[i]) + F32(residual[i]) : F32(src[i]);
    sum.add(i, x);
    if (sum_out != nullptr) sum_out[i] = to_float(x);
    dst[i] = to_float(x);
  }
  const F32 count = static_cast<float>(n);
  const F32 mean = norm.rms ? F32(0.0f) : sum.total() / count;
  LaneSum squares;
  for (size_t i = 0; i < n; ++i) {
    const F32 d = norm.rms ? F32(dst[i]) : F32(dst[i]) - mean;
    squares.add(i, d * d);
  }
  const F32 variance = squares.total() / count;
  const F32 inv = F32(1.0f) / F32(square_root(to_float(variance + norm.eps)));
  for (size_t i = 0; i < n; ++i) {
    const F32 d = norm.rms ? F32(dst[i]) : F32(dst[i]) - mean;
    const F32 y = (d * inv) * F32(norm.gamma[i]);
    dst[i] = to_float(norm.beta != nullptr ? y + F32(norm.beta[i]) : y);
  }
}

}  // namespace

void layernorm_f32_f32_1x1_ref(size_t m, size_t n, const float* src, const float* residual, const float* gamma, const float* beta,
                               float eps, bool rms, float* dst, float* sum_out) {
  const Norm norm = {gamma, beta, eps, rms};
  for (size_t i = 0; i < m; ++i) {
    const size_t at = i * n;
    normalize_row(n, src + at, residual != nullptr ? residual + at : nullptr, norm, dst + at,
                  sum_out != nullptr ? sum_out + at : nullptr);
  }
}

}  // namespace ert::kernels
