// W12A13 GEMM of M4, M7 and M33: smlad of pairs, one output at a time, because code is scarce.
#include <arm_acle.h>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/clamp.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

// Two int16, aligned to 4: rows and weights of Linears are.
struct __attribute__((may_alias)) Pair {
  int32_t word;
};

}  // namespace

void gemm_f32_qa13_qw12_1x1_dsp(const GemmArgs& g) {
  constexpr size_t kColumns = panel_columns(Layout::kN16K2);
  const size_t pairs = wide_pairs(g.k);
  for (size_t i = 0; i < g.m; ++i) {
    for (size_t j = 0; j < g.n; ++j) {
      const auto* row = static_cast<const Pair*>(g.lhs) + i * (g.row_bytes / sizeof(Pair));
      const auto* weight = static_cast<const Pair*>(static_cast<const void*>(g.w.data)) + j / kColumns * kColumns * pairs + j % kColumns;
      F32 t = 0.0f;
      for (size_t left = g.k; left != 0;) {
        const size_t piece = left < kWideBlock ? left : kWideBlock;
        int32_t acc = 0;
        for (size_t n = piece / 2; n != 0; --n) {
          acc = __smlad(row++->word, weight->word, acc);
          weight += kColumns;
        }
        if (piece % 2 != 0) acc = __smlad(row->word & 0xffff, weight->word, acc);  // nobody knows what is behind an odd row
        t = t + F32(static_cast<float>(acc)) * F32(g.scales[i].scale);
        left -= piece;
      }
      const F32 y = t * F32(g.w.scale[j]);
      float* dst = g.dst + static_cast<ptrdiff_t>(i) * g.dst_stride;
      dst[j] = to_float(clamped(g.clamp, g.w.bias != nullptr ? y + F32(g.w.bias[j]) : y));
    }
  }
}

}  // namespace ert::kernels
