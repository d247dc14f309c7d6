// W8A8 GEMM for AVX2: 6 rows x 8 columns (half a weight panel), 12 accumulators of 16 registers; up to 3 rows take a whole
// panel. Rows hold int16 (q - zero point), so there is no correction in the epilogue.
#include "kernels_int8/avx2/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

template <int kRows, int kHalves, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i sums[kRows][kHalves];
  accumulate<kRows, kHalves, kAhead>(sums, reinterpret_cast<const int16_t*>(t.lhs), t.row_bytes / 2, t.rhs, t.k, t.panel_bytes);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(t.rows[r].scale);
#pragma GCC unroll 16
    for (int h = 0; h < kHalves; ++h) {
      const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(t.scale + 8 * h));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[r][h]), scale);
      _mm256_storeu_ps(dst + 8 * h, _mm256_add_ps(scaled, _mm256_loadu_ps(t.bias + 8 * h)));
    }
    dst += t.dst_stride;
  }
}

constexpr TileFn kHalfPanel[] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};
constexpr TileFn kHalfPanelAhead[] = {nullptr, nullptr, tile<3, 1, true>, tile<4, 1, true>, tile<5, 1, true>, tile<6, 1, true>};
constexpr TileFn kWholePanel[] = {tile<1, 2>, tile<2, 2>, tile<3, 2>};

}  // namespace

void gemm_f32_qa8_qw8_6x8_avx2(const GemmArgs& g) {
  if (g.m <= 3) {
    gemm_columns<16, LastGroup::kCut>(kWholePanel, g, 0);
  } else if (g.n * g.k >= kFarWeights) {
    gemm_columns<8, LastGroup::kCut, Layout::kN16K4, kHalfPanelAhead>(kHalfPanel, g, 0);
  } else {
    gemm_columns<8, LastGroup::kCut>(kHalfPanel, g, 0);
  }
}

}  // namespace ert::kernels
