// W8A8 GEMM with sdot: up to 5 rows x one panel; one row takes four panels side by side and two rows two, to hide latency.
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/neon/gemm_columns.h"

namespace ert::kernels {
namespace {

template <int kRows, int kQuads>
constexpr TileFn kTile = tile8<DotSums, kRows, kQuads>;
constexpr TileFn kOnePanel[] = {kTile<1, 4>, kTile<2, 4>, kTile<3, 4>, kTile<4, 4>, kTile<5, 4>};
constexpr TileFn kTwoPanels[] = {kTile<1, 8>, kTile<2, 8>};
constexpr TileFn kFourPanels[] = {kTile<1, 16>};

}  // namespace

void gemm_f32_qa8_qw8_5x16_dotprod(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                                   const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  // Groups of several panels only where all of them exist: tiles read whole groups.
  const size_t wide = m == 1 ? n / 64 * 64 : m == 2 ? n / 32 * 32 : 0;
  if (wide > 0 && m == 1) gemm_columns<16>(kFourPanels, m, wide, k, lhs, row_bytes, scales, w, dst, dst_stride);
  if (wide > 0 && m == 2) gemm_columns<8>(kTwoPanels, m, wide, k, lhs, row_bytes, scales, w, dst, dst_stride);
  if (wide == n) return;
  const PackedWeights rest = {w.data + wide * round_up(k, 4), w.scale + wide, w.colsum + wide,
                              w.bias != nullptr ? w.bias + wide : nullptr};
  gemm_columns<4>(kOnePanel, m, n - wide, k, lhs, row_bytes, scales, rest, dst + wide, dst_stride);
}

}  // namespace ert::kernels
