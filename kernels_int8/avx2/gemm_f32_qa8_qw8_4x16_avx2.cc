// W8A8 GEMM for AVX2: 4 rows x 16 columns (a panel), two lines at a time where their products can be summed in int16, and 5 rows x 16
// columns line by line for few rows. Zero points are corrected in the epilogue by the weights' column sums.
#include "kernels_int8/avx2/signed_bytes.h"

namespace ert::kernels {
namespace {

// Integer sums of a tile to floats.
template <int kRows>
inline __attribute__((always_inline)) void store_tile(const TileArgs& t, const __m256i (&acc)[kRows][2]) {
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(t.rows[r].scale);
    const __m256i correction = _mm256_set1_epi32(128 - t.rows[r].zero_point);
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const __m256i colsum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.colsum + 8 * h));
      const __m256i sum = _mm256_add_epi32(acc[r][h], _mm256_mullo_epi32(correction, colsum));
      const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(t.scale + 8 * h));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
      _mm256_storeu_ps(dst + 8 * h, _mm256_add_ps(scaled, _mm256_loadu_ps(t.bias + 8 * h)));
    }
    dst += t.dst_stride;
  }
}

// Adds a line of all rows. With kAhead the line `ahead` bytes further on is on its way to the near cache afterwards.
template <int kRows, bool kAhead>
inline __attribute__((always_inline)) void add_line_of_rows(__m256i (&acc)[kRows][2], const uint8_t* lhs, size_t row_bytes,
                                                            const int8_t* rhs, size_t ahead, __m256i ones) {
  const __m256i w0 = load_bytes(rhs), w1 = load_bytes(rhs + 32);
  if constexpr (kAhead) _mm_prefetch(rhs + ahead, _MM_HINT_T0);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) add_line(acc[r], lhs + r * row_bytes, w0, w1, ones);
}

template <int kRows, bool kAhead>
inline __attribute__((always_inline)) void add_two_lines_of_rows(__m256i (&acc)[kRows][2], const uint8_t* lhs, size_t row_bytes,
                                                                 const int8_t* rhs, size_t ahead, __m256i ones) {
  const __m256i w0 = load_bytes(rhs), w1 = load_bytes(rhs + 32);
  if constexpr (kAhead) {
    _mm_prefetch(rhs + ahead, _MM_HINT_T0);
    _mm_prefetch(rhs + ahead + kLineBytes, _MM_HINT_T0);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) add_two_lines(acc[r], lhs + r * row_bytes, rhs, w0, w1, ones);
}

template <int kRows>
inline __attribute__((always_inline)) void clear(__m256i (&acc)[kRows][2]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) acc[r][0] = zero(), acc[r][1] = zero();
}

// Line by line.
template <int kRows, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][2];
  clear(acc);
  const uint8_t* lhs = t.lhs;
  const int8_t* rhs = t.rhs;
  for (size_t lines = t.k / 4; lines > 0; --lines, lhs += kRowLineBytes, rhs += kLineBytes) {
    add_line_of_rows<kRows, kAhead>(acc, lhs, t.row_bytes, rhs, t.panel_bytes, ones);
  }
  store_tile(t, acc);
}

// Two lines at a time where the panel's marks say so.
template <int kRows, bool kAhead = false>
__attribute__((noinline)) void pair_tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][2];
  clear(acc);
  for_line_pairs(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_two_lines_of_rows<kRows, kAhead>(acc, lhs, t.row_bytes, rhs, t.panel_bytes, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_line_of_rows<kRows, kAhead>(acc, lhs, t.row_bytes, rhs, t.panel_bytes, ones);
        add_line_of_rows<kRows, kAhead>(acc, lhs + kRowLineBytes, t.row_bytes, rhs + kLineBytes, t.panel_bytes, ones);
      });
  const size_t lines = t.k / 4;
  if (lines % 2 != 0) {
    add_line_of_rows<kRows, kAhead>(acc, t.lhs + (lines - 1) * kRowLineBytes, t.row_bytes, t.rhs + (lines - 1) * kLineBytes,
                                    t.panel_bytes, ones);
  }
  store_tile(t, acc);
}

// One row: panel after panel is one stream through memory. Sums of two lines hide the latency.
void one_row(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i even[1][2], odd[1][2];
  clear(even);
  clear(odd);
  const uint8_t* lhs = t.lhs;
  const int8_t* rhs = t.rhs;
  size_t lines = t.k / 4;
  for (; lines >= 2; lines -= 2, lhs += 2 * kRowLineBytes, rhs += 2 * kLineBytes) {
    add_line_of_rows<1, false>(even, lhs, 0, rhs, 0, ones);
    add_line_of_rows<1, false>(odd, lhs + kRowLineBytes, 0, rhs + kLineBytes, 0, ones);
  }
  if (lines > 0) add_line_of_rows<1, false>(even, lhs, 0, rhs, 0, ones);
  const __m256i sums[1][2] = {{_mm256_add_epi32(even[0][0], odd[0][0]), _mm256_add_epi32(even[0][1], odd[0][1])}};
  store_tile(t, sums);
}

constexpr TileFn kTiles[] = {one_row, tile<2>, tile<3>, tile<4>, tile<5>};
constexpr TileFn kTilesAhead[] = {nullptr, nullptr, tile<3, true>, tile<4, true>, tile<5, true>};
constexpr TileFn kPairTiles[] = {pair_tile<1>, pair_tile<2>, pair_tile<3>, pair_tile<4>};
constexpr TileFn kPairTilesAhead[] = {nullptr, nullptr, pair_tile<3, true>, pair_tile<4, true>};

}  // namespace

void gemm_f32_qa8_qw8_4x16_avx2(const GemmArgs& g) {
  gemm_by_line_pairs<kTiles, kTilesAhead, kPairTiles, kPairTilesAhead>(g, pair_fits);
}

}  // namespace ert::kernels
