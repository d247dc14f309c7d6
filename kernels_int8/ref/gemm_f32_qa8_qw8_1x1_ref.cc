// W8A8 GEMM: exact int32 sums of (q - zero_point) * w, then the fp32 epilogue.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

template <Layout layout>
void gemm(const GemmArgs& g) {
  const uint8_t* row = static_cast<const uint8_t*>(g.lhs);
  float* dst = g.dst;
  for (size_t i = 0; i < g.m; ++i, row += g.row_bytes, dst += g.dst_stride) {
    const int32_t zero_point = g.scales[i].zero_point;
    for (size_t j = 0; j < g.n; ++j) {
      int32_t acc = 0;
      for_column<layout>(g.w.data, j, g.k, [&](size_t kk, int32_t weight) { acc += (row[kk] - zero_point) * weight; });
      const F32 y = F32(static_cast<float>(acc)) * (F32(g.scales[i].scale) * F32(g.w.scale[j]));
      dst[j] = to_float(g.w.bias != nullptr ? y + F32(g.w.bias[j]) : y);
    }
  }
}

}  // namespace

void gemm_f32_qa8_qw8_1x1_ref(const GemmArgs& g) { gemm<Layout::kN16K4>(g); }
void gemm_f32_qa8_qw8n8k8_1x1_ref(const GemmArgs& g) { gemm<Layout::kN8K8>(g); }
void gemm_f32_qa8_qw8n2k16_1x1_ref(const GemmArgs& g) { gemm<Layout::kN2K16>(g); }

}  // namespace ert::kernels
