// W8A16 GEMM: two exact int32 sums over the same packed weights, one per activation digit.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

template <Layout layout>
void gemm(const GemmArgs& g) {
  const int8_t* hi = static_cast<const int8_t*>(g.lhs);
  float* dst = g.dst;
  for (size_t i = 0; i < g.m; ++i, hi += g.row_bytes, dst += g.dst_stride) {
    const int8_t* lo = hi + round_up(g.k, 64);
    for (size_t j = 0; j < g.n; ++j) {
      int32_t acc_hi = 0;
      int32_t acc_lo = 0;
      for_column<layout>(g.w.data, j, g.k, [&](size_t kk, int32_t weight) {
        acc_hi += hi[kk] * weight;
        acc_lo += lo[kk] * weight;
      });
      const F32 acc = F32(static_cast<float>(acc_hi)) * F32(128.0f) + F32(static_cast<float>(acc_lo));
      const F32 y = acc * (F32(g.scales[i].scale) * F32(g.w.scale[j]));
      dst[j] = to_float(g.w.bias != nullptr ? y + F32(g.w.bias[j]) : y);
    }
  }
}

}  // namespace

void gemm_f32_qa16_qw8_1x1_ref(const GemmArgs& g) { gemm<Layout::kN16K4>(g); }
void gemm_f32_qa16_qw8n8k8_1x1_ref(const GemmArgs& g) { gemm<Layout::kN8K8>(g); }
void gemm_f32_qa16_qw8n2k16_1x1_ref(const GemmArgs& g) { gemm<Layout::kN2K16>(g); }

}  // namespace ert::kernels
