// W8A16 GEMM for AVX2. Rows of one int16 value per k are the W8A8 kernel's rows without a zero point and go there; the digits
// of long rows (qa16_form.h) are twice the rows for the same integer loop.
#include "kernels_int8/avx2/gemm_columns.h"
#include "kernels_int8/avx2/gemm_tile.h"
#include "kernels_int8/avx2/qa16_form.h"

namespace ert::kernels {

void gemm_f32_qa8_qw8_6x8_avx2(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                               const PackedWeights& w, float* dst, ptrdiff_t dst_stride);

namespace {

struct TileArgs {
  size_t k4;
  const int16_t* lhs;
  size_t digit_elements;  // from a row's high digits to its low ones; half of the row stride
  const RowScale* rows;
  const int8_t* rhs;
  const float* scale;
  const float* bias;
  float* dst;
  ptrdiff_t dst_stride;
};

template <int kRows>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i sums[2 * kRows][1];
  accumulate<2 * kRows, 1>(sums, t.lhs, t.digit_elements, t.rhs, t.k4);
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

constexpr int kMaxRows = 3;
constexpr void (*kTiles[kMaxRows])(const TileArgs&) = {tile<1>, tile<2>, tile<3>};

}  // namespace

void gemm_f32_qa16_qw8_3x8_avx2(size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes, const RowScale* scales,
                                const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  if (k <= kOneSumMaxK) {
    gemm_f32_qa8_qw8_6x8_avx2(m, n, k, lhs, row_bytes, scales, w, dst, dst_stride);
    return;
  }
  const size_t k4 = round_up(k, 4);
  for (size_t column = 0; column < n; column += 8) {
    const size_t columns = n - column < 8 ? n - column : 8;
    ColumnGroup<8> group;
    group.select(w, column, columns);
    const int8_t* rhs = w.data + column / 16 * 16 * k4 + column % 16 * 4;
    for_row_blocks<kMaxRows, 8>(m, dst + column, dst_stride, columns, [&](size_t rows, size_t row, float* out, ptrdiff_t stride) {
      const int16_t* lhs_row = reinterpret_cast<const int16_t*>(static_cast<const uint8_t*>(lhs) + row * row_bytes);
      kTiles[rows - 1]({k4, lhs_row, row_bytes / 4, scales + row, rhs, group.scale, group.bias, out, stride});
    });
  }
}

}  // namespace ert::kernels
