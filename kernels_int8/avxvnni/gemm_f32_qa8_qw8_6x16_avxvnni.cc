// W8A8 GEMM for AVX-VNNI: 6 rows x 16 columns, 12 accumulators of 16 registers; one row takes four panels and two rows take
// two, to have enough independent sums. Zero points are corrected in the epilogue by the weights' column sums.
#include "kernels_int8/avxvnni/gemm_tile.h"
#include "kernels_int8/gemm_driver.h"

namespace ert::kernels {
namespace {

template <int kRows, int kPanels, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i acc[kRows][2 * kPanels];
  accumulate<kRows, kPanels, kAhead>(acc, t.lhs, t.row_bytes, t.rhs, t.panel_bytes, t.k, kPanels * t.panel_bytes);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(t.rows[r].scale);
    const __m256i zero_point = _mm256_set1_epi32(t.rows[r].zero_point);
#pragma GCC unroll 16
    for (int j = 0; j < 2 * kPanels; ++j) {
      const __m256i colsum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.colsum + 8 * j));
      const __m256i sum = _mm256_sub_epi32(acc[r][j], _mm256_mullo_epi32(zero_point, colsum));
      const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(t.scale + 8 * j));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
      _mm256_storeu_ps(dst + 8 * j, _mm256_add_ps(scaled, _mm256_loadu_ps(t.bias + 8 * j)));
    }
    dst += t.dst_stride;
  }
}

constexpr TileFn kOnePanel[] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};
// Weights that lie behind the near cache: while the second tile of a panel multiplies, it fetches the next panel. A second tile has
// at least 3 rows.
constexpr TileFn kOnePanelAhead[] = {nullptr, nullptr, tile<3, 1, true>, tile<4, 1, true>, tile<5, 1, true>, tile<6, 1, true>};
constexpr TileFn kTwoPanels[] = {tile<1, 2>, tile<2, 2>};
constexpr TileFn kFourPanels[] = {tile<1, 4>};

}  // namespace

void ERT_AVXVNNI_NAME(gemm_f32_qa8_qw8_6x16)(const GemmArgs& g) {
  size_t column = 0;
  if (g.m == 1) column = gemm_columns<64, LastGroup::kWhole>(kFourPanels, g, column);
  if (g.m <= 2) column = gemm_columns<32, LastGroup::kWhole>(kTwoPanels, g, column);
  if (g.n * g.k >= kFarWeights)
    gemm_columns<16, LastGroup::kCut, Layout::kN16K4, kOnePanelAhead>(kOnePanel, g, column);
  else
    gemm_columns<16, LastGroup::kCut>(kOnePanel, g, column);
}

}  // namespace ert::kernels
