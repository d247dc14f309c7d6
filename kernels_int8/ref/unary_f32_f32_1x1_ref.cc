// Elementwise functions, one kernel per kind.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/elementary.h"
#include "kernels_int8/ref/elementary64.h"
#include "kernels_int8/ref/trigonometry.h"

namespace ert::kernels {
namespace {

template <F32 (*function)(F32)>
inline void map(size_t n, const float* src, float* dst) {
  for (size_t i = 0; i < n; ++i) dst[i] = to_float(function(src[i]));
}

inline F32 sine(F32 x) { return canonical_sin(to_float(x)); }
inline F32 cosine(F32 x) { return canonical_cos(to_float(x)); }

}  // namespace

void relu_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<relu>(n, src, dst); }
void relu6_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<relu6>(n, src, dst); }
void geluerf_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<gelu_erf>(n, src, dst); }
void gelucoarse_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<gelu_coarse>(n, src, dst); }
void gelutanh_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<gelu_tanh>(n, src, dst); }
void tanh_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<tanh>(n, src, dst); }
void sigmoid_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<sigmoid>(n, src, dst); }
void tanhcoarse_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<tanh_coarse>(n, src, dst); }
void sigmoidcoarse_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<sigmoid_coarse>(n, src, dst); }
void silu_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<silu>(n, src, dst); }
void quickgelu_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<quick_gelu>(n, src, dst); }
void exp_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<exp_any>(n, src, dst); }
void erf_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<erf>(n, src, dst); }
void log_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<log>(n, src, dst); }
void sin_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<sine>(n, src, dst); }
void cos_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<cosine>(n, src, dst); }
void softplus_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<softplus>(n, src, dst); }
void mish_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<mish>(n, src, dst); }
void hardswish_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<hard_swish>(n, src, dst); }
void hardsigmoid_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<hard_sigmoid>(n, src, dst); }
void elu_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<elu>(n, src, dst); }
void selu_f32_f32_1x1_ref(size_t n, const float* src, float* dst) { map<selu>(n, src, dst); }

}  // namespace ert::kernels
