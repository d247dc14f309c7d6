// W8A16 GEMM for AVX512-VNNI. A row of activations is two rows of digits + 128, row_bytes / 2 apart, so a tile of 4 rows is
// an 8-row tile of the integer loop; the epilogue joins the digits' sums.
#include "kernels_int8/avx512vnni/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

constexpr int kMaxRows = 4;

// Fetches kAhead panels of the next group.
template <int kRows, int kPanels, int kAhead = 0>
__attribute__((noinline)) void tile(const GemmArgs& g, size_t row, size_t column, size_t columns) {
  const size_t k4 = round_up(g.k, 4);
  __m512i acc[2 * kRows][kPanels];
  accumulate<2 * kRows, kPanels, kAhead>(acc, static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes, g.row_bytes / 2,
                                         g.w.data + column * k4, 16 * k4, k4,
                                         (kPanels + first_panel_ahead(kAhead, row, kMaxRows)) * 16 * k4);
  ColumnParams<kPanels> cols;
  cols.load(g.w, column, columns);
  __m512i offset[kPanels];
  for (int p = 0; p < kPanels; ++p) offset[p] = _mm512_slli_epi32(cols.colsum[p], 7);
  float* dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m512 row_scale = _mm512_set1_ps(g.scales[row + r].scale);
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const __m512 hi = _mm512_cvtepi32_ps(_mm512_sub_epi32(acc[2 * r][p], offset[p]));
      const __m512 lo = _mm512_cvtepi32_ps(_mm512_sub_epi32(acc[2 * r + 1][p], offset[p]));
      const __m512 sum = _mm512_add_ps(_mm512_mul_ps(hi, _mm512_set1_ps(128.0f)), lo);
      const __m512 y = _mm512_add_ps(_mm512_mul_ps(sum, _mm512_mul_ps(row_scale, cols.scale[p])), cols.bias[p]);
      _mm512_mask_storeu_ps(dst + 16 * p, cols.mask[p], y);
    }
    dst += g.dst_stride;
  }
}

using MaskedTileFn = void (*)(const GemmArgs&, size_t, size_t, size_t);
constexpr MaskedTileFn kTiles3[kMaxRows] = {tile<1, 3>, tile<2, 3>, tile<3, 3>, tile<4, 3>};
// The same that fetch one or all panels of the next group as in the W8A8 kernel; blocks that do have at least 2 rows.
constexpr MaskedTileFn kTiles3Ahead1[kMaxRows] = {nullptr, tile<2, 3, 1>, tile<3, 3, 1>, tile<4, 3, 1>};
constexpr MaskedTileFn kTiles3Ahead3[kMaxRows] = {nullptr, tile<2, 3, 3>, tile<3, 3, 3>, tile<4, 3, 3>};
constexpr MaskedTileFn kTiles1[kMaxRows] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>};

}  // namespace

void gemm_f32_qa16_qw8_4x48_avx512vnni(const GemmArgs& g) {
  const bool far = is_far(g);
  for (size_t column = 0; column < g.n;) {
    const size_t left = g.n - column;
    const bool wide = left > 32;
    const size_t widest = wide ? 48 : 16;
    const size_t columns = left < widest ? left : widest;
    for_even_blocks(g.m, kMaxRows, [&](size_t row, size_t rows) {
      const int ahead = far && wide ? panels_ahead(g.m, row, kMaxRows) : 0;
      (!wide ? kTiles1 : ahead == 3 ? kTiles3Ahead3 : ahead == 1 ? kTiles3Ahead1 : kTiles3)[rows - 1](g, row, column, columns);
    });
    column += columns;
  }
}

}  // namespace ert::kernels
