// W12A13 GEMM of M4, M7 and M33: smlad of pairs, one output at a time, because code is scarce.
#include <arm_acle.h>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

// Two int16, aligned to 4: rows and weights of Linears are.
struct __attribute__((may_alias)) Pair {
  int32_t word;
};

}  // namespace

void gemm_f32_qa13_qw12_1x1_dsp(const GemmArgs& g) {
  constexpr size_t kColumns = panel_columns(Layout::kN16K2), kPiece = kWideBlock / 2;
  const size_t pairs = wide_pairs(g.k);
  for (size_t i = 0; i < g.m; ++i) {
    for (size_t j = 0; j < g.n; ++j) {
      const auto* row = static_cast<const Pair*>(g.lhs) + i * (g.row_bytes / sizeof(Pair));
      const auto* weight = static_cast<const Pair*>(static_cast<const void*>(g.w.data)) + j / kColumns * kColumns * pairs + j % kColumns;
      F32 t = 0.0f;
      for (size_t left = pairs; left != 0;) {
        int32_t acc = 0;
        for (size_t piece = left < kPiece ? left : kPiece; piece != 0; --piece, --left, ++row, weight += kColumns)
          acc = __smlad(left == 1 && g.k % 2 != 0 ? row->word & 0xffff : row->word, weight->word, acc);  // nobody knows what is behind an odd row
        t = t + F32(static_cast<float>(acc)) * F32(g.scales[i].scale);
      }
      const F32 y = t * F32(g.w.scale[j]);
      g.dst[static_cast<ptrdiff_t>(i) * g.dst_stride + static_cast<ptrdiff_t>(j)] = to_float(g.w.bias != nullptr ? y + F32(g.w.bias[j]) : y);
    }
  }
}

}  // namespace ert::kernels
