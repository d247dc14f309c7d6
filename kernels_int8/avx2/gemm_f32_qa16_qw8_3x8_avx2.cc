// W8A16 GEMM for AVX2. Rows of one int16 value per k: 6 rows x 8 columns (half a weight panel), 12 accumulators of 16 registers; up to 3
// rows take a whole panel. The digits of long rows (contract/exact_sums.h) are twice the rows for the same integer loop.
#include "kernels_int8/avx2/gemm_tile.h"
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {

namespace {

// Rows of one int16 value per k.
template <int kRows, int kHalves, bool kAhead = false>
__attribute__((noinline)) void one_sum_tile(const TileArgs& t) {
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

// Rows of digits.
template <int kRows>
__attribute__((noinline)) void digits_tile(const TileArgs& t) {
  __m256i sums[2 * kRows][1];
  // From a row's high digits to its low ones is half of a row.
  accumulate<2 * kRows, 1>(sums, reinterpret_cast<const int16_t*>(t.lhs), t.row_bytes / 4, t.rhs, t.k);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 scale = _mm256_mul_ps(_mm256_set1_ps(t.rows[r].scale), _mm256_loadu_ps(t.scale));
    const __m256 hi = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[2 * r][0]), _mm256_set1_ps(128.0f));
    const __m256 sum = _mm256_add_ps(hi, _mm256_cvtepi32_ps(sums[2 * r + 1][0]));
    _mm256_storeu_ps(dst, _mm256_add_ps(_mm256_mul_ps(sum, scale), _mm256_loadu_ps(t.bias)));
    dst += t.dst_stride;
  }
}

constexpr TileFn kHalfPanel[] = {one_sum_tile<1, 1>, one_sum_tile<2, 1>, one_sum_tile<3, 1>,
                                 one_sum_tile<4, 1>, one_sum_tile<5, 1>, one_sum_tile<6, 1>};
constexpr TileFn kHalfPanelAhead[] = {
    nullptr, nullptr, one_sum_tile<3, 1, true>, one_sum_tile<4, 1, true>, one_sum_tile<5, 1, true>, one_sum_tile<6, 1, true>};
constexpr TileFn kWholePanel[] = {one_sum_tile<1, 2>, one_sum_tile<2, 2>, one_sum_tile<3, 2>};

constexpr TileFn kDigits[] = {digits_tile<1>, digits_tile<2>, digits_tile<3>};

}  // namespace

void gemm_f32_qa16_qw8_3x8_avx2(const GemmArgs& g) {
  if (g.k > kOneSumMaxK) {
    gemm_columns<8, LastGroup::kCut>(kDigits, g, 0);
  } else if (g.m <= 3) {
    gemm_columns<16, LastGroup::kCut>(kWholePanel, g, 0);
  } else if (is_far(g)) {
    gemm_columns<8, LastGroup::kCut, Layout::kN16K4, kHalfPanelAhead>(kHalfPanel, g, 0);
  } else {
    gemm_columns<8, LastGroup::kCut>(kHalfPanel, g, 0);
  }
}

}  // namespace ert::kernels
