// W8A16 GEMM for AVX2. Rows of one int16 value per k are the W8A8 kernel's rows without a zero point and go there; the digits
// of long rows (contract/exact_sums.h) are twice the rows for the same integer loop.
#include "kernels_int8/avx2/gemm_tile.h"
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {

void gemm_f32_qa8_qw8_6x8_avx2(const GemmArgs& g);

namespace {

template <int kRows>
__attribute__((noinline)) void tile(const TileArgs& t) {
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

constexpr TileFn kTiles[] = {tile<1>, tile<2>, tile<3>};

}  // namespace

void gemm_f32_qa16_qw8_3x8_avx2(const GemmArgs& g) {
  if (g.k <= kOneSumMaxK) {
    gemm_f32_qa8_qw8_6x8_avx2(g);
  } else {
    gemm_columns<8, LastGroup::kCut>(kTiles, g, 0);
  }
}

}  // namespace ert::kernels
