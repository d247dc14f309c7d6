// W8A8 GEMM for AVX-VNNI: 6 rows x 16 columns, 12 accumulators of 16 registers; one row takes four panels and two rows take
// two, to have enough independent sums. Zero points are corrected in the epilogue by the weights' column sums.
#include "kernels_int8/avx2/gemm_columns.h"
#include "kernels_int8/avxvnni/gemm_tile.h"

namespace ert::kernels {
namespace {

struct TileArgs {
  size_t k4;
  const uint8_t* lhs;
  size_t row_bytes;
  const RowScale* rows;
  const int8_t* rhs;
  const float* scale;
  const int32_t* colsum;
  const float* bias;
  float* dst;
  ptrdiff_t dst_stride;
};

template <int kRows, int kPanels>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i acc[kRows][2 * kPanels];
  accumulate<kRows, kPanels>(acc, t.lhs, t.row_bytes, t.rhs, 16 * t.k4, t.k4);
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

using TileFn = void (*)(const TileArgs&);
constexpr int kMaxRows = 6;
constexpr TileFn kTiles1[kMaxRows] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};
constexpr TileFn kTiles2[2] = {tile<1, 2>, tile<2, 2>};
constexpr TileFn kTiles4[1] = {tile<1, 4>};

// Columns [*column, n) as far as whole groups of kColumns go; with kCut also the last, cut group.
template <int kColumns, bool kCut>
void gemm_groups(const TileFn* tiles, size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                 const PackedWeights& w, float* dst, ptrdiff_t dst_stride, size_t* column) {
  const size_t k4 = round_up(k, 4);
  for (; *column + (kCut ? 0 : kColumns - 1) < n; *column += kColumns) {
    const size_t columns = n - *column < kColumns ? n - *column : kColumns;
    ColumnGroup<kColumns> group;
    group.select(w, *column, columns);
    const int8_t* rhs = w.data + *column * k4;
    for_row_blocks<kMaxRows, kColumns>(
        m, dst + *column, dst_stride, columns, [&](size_t rows, size_t row, float* out, ptrdiff_t stride) {
          const uint8_t* lhs_row = static_cast<const uint8_t*>(lhs) + row * row_bytes;
          tiles[rows - 1]({k4, lhs_row, row_bytes, scales + row, rhs, group.scale, group.colsum, group.bias, out, stride});
        });
  }
}

}  // namespace

void ERT_AVXVNNI_NAME(gemm_f32_qa8_qw8_6x16)(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes,
                                             const RowScale* scales, const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  size_t column = 0;
  if (m == 1) gemm_groups<64, false>(kTiles4, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride, &column);
  if (m <= 2) gemm_groups<32, false>(kTiles2, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride, &column);
  gemm_groups<16, true>(kTiles1, m, n, k, lhs, row_bytes, scales, w, dst, dst_stride, &column);
}

}  // namespace ert::kernels
