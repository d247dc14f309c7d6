// W12A13 GEMM: the sums of wide_f32_qa13_qw12_1x1_ref.cc for rows that are one run, apart from it because firmware without convolutions links only this.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

void gemm_f32_qa13_qw12_1x1_ref(const GemmArgs& g) {
  constexpr size_t kColumns = panel_columns(Layout::kN16K2);
  const size_t k = round_up(g.k, 2);
  for (size_t i = 0; i < g.m; ++i) {
    const int16_t* row = static_cast<const int16_t*>(g.lhs) + i * (g.row_bytes / sizeof(int16_t));
    for (size_t j = 0; j < g.n; ++j) {
      const int16_t* weight = static_cast<const int16_t*>(static_cast<const void*>(g.w.data)) + j / kColumns * kColumns * k + j % kColumns * 2;
      F32 t = 0.0f;
      uint32_t acc = 0;
      for (size_t kk = 0; kk < k; kk += 2, weight += 2 * kColumns) {
        acc += static_cast<uint32_t>(row[kk] * weight[0]);
        if (kk + 1 < g.k) acc += static_cast<uint32_t>(row[kk + 1] * weight[1]);  // else nobody knows what is there
        if ((kk + 2) % kWideBlock != 0 && kk + 2 != k) continue;
        t = t + F32(static_cast<float>(static_cast<int32_t>(acc))) * F32(g.scales[i].scale);
        acc = 0;
      }
      const F32 y = t * F32(g.w.scale[j]);
      g.dst[static_cast<ptrdiff_t>(i) * g.dst_stride + static_cast<ptrdiff_t>(j)] = to_float(g.w.bias != nullptr ? y + F32(g.w.bias[j]) : y);
    }
  }
}

}  // namespace ert::kernels
