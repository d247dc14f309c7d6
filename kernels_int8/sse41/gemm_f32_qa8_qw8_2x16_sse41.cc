// W8A8 GEMM for SSE4.1: 2 rows x 16 columns (a panel), two lines at a time where their products can be summed in int16. Zero points are
// corrected in the epilogue by the weights' column sums.
#include "kernels_int8/sse41/low_bytes.h"

namespace ert::kernels {
namespace {

// Integer sums of a tile to floats.
template <int kRows>
inline __attribute__((always_inline)) void store_tile(const TileArgs& t, const __m128i (&acc)[kRows][4]) {
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m128 row_scale = _mm_set1_ps(t.rows[r].scale);
    const __m128i correction = _mm_set1_epi32(128 - zero_point_of(t.rows[r]));
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
      const __m128i colsum = _mm_loadu_si128(reinterpret_cast<const __m128i*>(t.colsum + 4 * j));
      const __m128i sum = _mm_add_epi32(acc[r][j], _mm_mullo_epi32(correction, colsum));
      const __m128 scale = _mm_mul_ps(row_scale, _mm_loadu_ps(t.scale + 4 * j));
      _mm_storeu_ps(dst + 4 * j, _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(sum), scale), _mm_loadu_ps(t.bias + 4 * j)));
    }
    dst += t.dst_stride;
  }
}

// Fetches two lines of the next panel.
template <bool kAhead>
inline __attribute__((always_inline)) void fetch(const TileArgs& t, const int8_t* rhs) {
  if constexpr (kAhead) {
    _mm_prefetch(rhs + t.panel_bytes, _MM_HINT_T0);
    _mm_prefetch(rhs + t.panel_bytes + kLineBytes, _MM_HINT_T0);
  }
}

// Adds what is left of the panel's lines behind whole pairs, and stores.
template <int kRows>
inline __attribute__((always_inline)) void finish(const TileArgs& t, __m128i (&acc)[kRows][4], __m128i ones) {
  const size_t lines = t.k / 4;
  if (lines % 2 != 0)
    add_last_line(acc, t.lhs + (lines - 1) * kRowLineBytes, t.row_bytes, t.rhs + (lines - 1) * kLineBytes, ones);
  store_tile(t, acc);
}

template <int kRows>
inline __attribute__((always_inline)) void start(const RowScale* rows, __m128i (&acc)[kRows][4]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) acc[r][j] = all_lanes(lack_of(rows[r]));
  }
}

// Line by line. With kAhead the lines of the next panel are on their way to the near cache afterwards.
template <int kRows, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  const __m128i ones = _mm_set1_epi16(1);
  __m128i acc[kRows][4];
  start(t.rows, acc);
  const uint8_t* lhs = t.lhs;
  const int8_t* rhs = t.rhs;
  for (size_t pairs = t.k / 8; pairs > 0; --pairs, lhs += 2 * kRowLineBytes, rhs += 2 * kLineBytes) {
    fetch<kAhead>(t, rhs);
    add_lines<kRows, false>(acc, lhs, t.row_bytes, rhs, ones);
  }
  finish(t, acc, ones);
}

// Two lines at a time where the panel's marks say so.
template <Marks kMarks, int kRows, bool kAhead = false>
__attribute__((noinline)) void pair_tile(const TileArgs& t) {
  const __m128i ones = _mm_set1_epi16(1);
  __m128i acc[kRows][4];
  start(t.rows, acc);
  for_line_pairs<kMarks, kRows>(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        fetch<kAhead>(t, rhs);
        add_lines<kRows, true>(acc, lhs, t.row_bytes, rhs, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        fetch<kAhead>(t, rhs);
        add_lines<kRows, false>(acc, lhs, t.row_bytes, rhs, ones);
      });
  finish(t, acc, ones);
}

// The same of low rows.
template <int kRows, bool kAhead>
__attribute__((noinline)) void low_tile(const TileArgs& t) {
  const __m128i ones = _mm_set1_epi16(1);
  __m128i acc[kRows][4];
  clear(acc);
  for_line_pairs<Marks::kOfLowRows, kRows>(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        fetch<kAhead>(t, rhs);
        add_low_lines<LowLines::kTogether>(acc, lhs, t.row_bytes, rhs, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_low_lines<LowLines::kApart>(acc, lhs, t.row_bytes, rhs, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_low_lines<LowLines::kSplit>(acc, lhs, t.row_bytes, rhs, ones);
      });
  const size_t lines = t.k / 4;
  if (lines % 2 != 0) add_last_low_line(acc, t.lhs + (lines - 1) * kRowLineBytes, t.row_bytes, t.rhs + (lines - 1) * kLineBytes, ones);
  store_tile(t, acc);
}

constexpr TileFn kTiles[] = {tile<1>, tile<2>};
constexpr TileFn kTilesAhead[] = {tile<1, true>, tile<2, true>};
template <Marks kMarks>
struct PairTiles {
  static constexpr TileFn kNear[] = {pair_tile<kMarks, 1>, pair_tile<kMarks, 2>};
  static constexpr TileFn kAhead[] = {pair_tile<kMarks, 1, true>, pair_tile<kMarks, 2, true>};
};

struct LowTiles {
  static constexpr TileFn kNear[] = {low_tile<1, false>, low_tile<2, false>};
  static constexpr TileFn kAhead[] = {low_tile<1, true>, low_tile<2, true>};
};

}  // namespace

void gemm_f32_qa8_qw8_2x16_sse41(const GemmArgs& all) {
  by_marked_rows<LookAtRows>(all, [](const GemmArgs& g, const RowMarks& of_rows, Marks by) {
    if (by == Marks::kOfLowRows) {
      gemm_by_row_marks<16, LastGroup::kCut, LowTiles>(g, 0, of_rows);
      return;
    }
    const bool many = by == Marks::kOfRows;
    if (!many && g.m < kRowsForPairs) return gemm_by_lines<kTiles, kTilesAhead>(g);
    const auto fits = [](const int8_t* lines, size_t) __attribute__((always_inline)) { return pair_fits(lines); };
    gemm_by_marks<16, LastGroup::kCut, PairTiles>(g, 0, many ? &of_rows : nullptr, fits);
  });
}

}  // namespace ert::kernels
