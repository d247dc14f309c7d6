// W8A16 GEMM for SSE4.1: 4 rows x 4 columns (a quarter of a weight panel) of rows with one int16 value per k. The digits of long rows
// (contract/exact_sums.h) are twice the rows for the same integer loop.
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/sse41/gemm_tile.h"

namespace ert::kernels {
namespace {

// y: four sums of row r as floats.
inline __attribute__((always_inline)) void store4(const TileArgs& t, int r, __m128 y) {
  const __m128 scale = _mm_mul_ps(_mm_set1_ps(t.rows[r].scale), _mm_loadu_ps(t.scale));
  _mm_storeu_ps(t.dst + r * t.dst_stride, _mm_add_ps(_mm_mul_ps(y, scale), _mm_loadu_ps(t.bias)));
}

// Rows of one int16 value per k.
template <int kRows>
__attribute__((noinline)) void one_sum_tile(const TileArgs& t) {
  __m128i sums[kRows];
  accumulate(sums, reinterpret_cast<const int16_t*>(t.lhs), t.row_bytes / 2, t.rhs, t.k);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) store4(t, r, _mm_cvtepi32_ps(sums[r]));
}

// Rows of digits.
template <int kRows>
__attribute__((noinline)) void digits_tile(const TileArgs& t) {
  __m128i sums[2 * kRows];
  // From a row's high digits to its low ones is half of a row.
  accumulate(sums, reinterpret_cast<const int16_t*>(t.lhs), t.row_bytes / 4, t.rhs, t.k);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m128 hi = _mm_mul_ps(_mm_cvtepi32_ps(sums[2 * r]), _mm_set1_ps(128.0f));
    store4(t, r, _mm_add_ps(hi, _mm_cvtepi32_ps(sums[2 * r + 1])));
  }
}

constexpr TileFn kOneSum[] = {one_sum_tile<1>, one_sum_tile<2>, one_sum_tile<3>, one_sum_tile<4>};
constexpr TileFn kDigits[] = {digits_tile<1>, digits_tile<2>};

}  // namespace

void gemm_f32_qa16_qw8_4x4_sse41(const GemmArgs& g) {
  if (g.k <= kOneSumMaxK)
    gemm_columns<4, LastGroup::kCut>(kOneSum, g, 0);
  else
    gemm_columns<4, LastGroup::kCut>(kDigits, g, 0);
}

}  // namespace ert::kernels
