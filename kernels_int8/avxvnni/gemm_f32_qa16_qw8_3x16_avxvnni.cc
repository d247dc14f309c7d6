// W8A16 GEMM for AVX-VNNI. A row of activations is two rows of digits + 128, row_bytes / 2 apart, so a tile of 3 rows is a
// 6-row tile of the integer loop; the epilogue joins the digits' sums.
#include "kernels_int8/avxvnni/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

template <int kRows, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i acc[2 * kRows][2];
  accumulate<2 * kRows, 1, kAhead>(acc, t.lhs, t.row_bytes / 2, t.rhs, t.panel_bytes, t.k, t.panel_bytes);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(t.rows[r].scale);
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const __m256i offset = _mm256_slli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.colsum + 8 * j)), 7);
      const __m256 hi = _mm256_cvtepi32_ps(_mm256_sub_epi32(acc[2 * r][j], offset));
      const __m256 lo = _mm256_cvtepi32_ps(_mm256_sub_epi32(acc[2 * r + 1][j], offset));
      const __m256 sum = _mm256_add_ps(_mm256_mul_ps(hi, _mm256_set1_ps(128.0f)), lo);
      const __m256 scaled = _mm256_mul_ps(sum, _mm256_mul_ps(row_scale, _mm256_loadu_ps(t.scale + 8 * j)));
      _mm256_storeu_ps(dst + 8 * j, _mm256_add_ps(scaled, _mm256_loadu_ps(t.bias + 8 * j)));
    }
    dst += t.dst_stride;
  }
}

constexpr TileFn kTiles[] = {tile<1>, tile<2>, tile<3>};
constexpr TileFn kTilesAhead[] = {nullptr, tile<2, true>, tile<3, true>};

}  // namespace

void ERT_AVXVNNI_NAME(gemm_f32_qa16_qw8_3x16)(const GemmArgs& g) {
  if (is_far(g))
    gemm_columns<16, LastGroup::kCut, Layout::kN16K4, kTilesAhead>(kTiles, g, 0);
  else
    gemm_columns<16, LastGroup::kCut>(kTiles, g, 0);
}

}  // namespace ert::kernels
