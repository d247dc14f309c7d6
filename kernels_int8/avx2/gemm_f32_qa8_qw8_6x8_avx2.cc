// W8A8 GEMM for AVX2: 6 rows x 8 columns (half a weight panel), 12 accumulators of 16 registers; up to 3 rows take a whole
// panel. Rows hold int16 (q - zero point), so there is no correction in the epilogue.
#include "kernels_int8/avx2/gemm_columns.h"
#include "kernels_int8/avx2/gemm_tile.h"

namespace ert::kernels {
namespace {

struct TileArgs {
  size_t k4;
  const int16_t* lhs;
  size_t row_elements;
  const RowScale* rows;
  const int8_t* rhs;
  const float* scale;
  const float* bias;
  float* dst;
  ptrdiff_t dst_stride;
};

template <int kRows, int kHalves>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i sums[kRows][kHalves];
  accumulate<kRows, kHalves>(sums, t.lhs, t.row_elements, t.rhs, t.k4);
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

using TileFn = void (*)(const TileArgs&);
constexpr int kMaxRows = 6;
constexpr TileFn kHalfPanel[kMaxRows] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};
constexpr TileFn kWholePanel[3] = {tile<1, 2>, tile<2, 2>, tile<3, 2>};

template <int kColumns>
void gemm(const TileFn* tiles, size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
          const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  const size_t k4 = round_up(k, 4);
  for (size_t column = 0; column < n; column += kColumns) {
    const size_t columns = n - column < kColumns ? n - column : kColumns;
    ColumnGroup<kColumns> group;
    group.select(w, column, columns);
    const int8_t* rhs = w.data + column / 16 * 16 * k4 + column % 16 * 4;
    for_row_blocks<kMaxRows, kColumns>(
        m, dst + column, dst_stride, columns, [&](size_t rows, size_t row, float* out, ptrdiff_t stride) {
          const int16_t* lhs_row = reinterpret_cast<const int16_t*>(static_cast<const uint8_t*>(lhs) + row * row_bytes);
          tiles[rows - 1]({k4, lhs_row, row_bytes / 2, scales + row, rhs, group.scale, group.bias, out, stride});
        });
  }
}

}  // namespace

void gemm_f32_qa8_qw8_6x8_avx2(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                               const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  if (m <= 3) {
    gemm<16>(kWholePanel, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
  } else {
    gemm<8>(kHalfPanel, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
  }
}

}  // namespace ert::kernels
