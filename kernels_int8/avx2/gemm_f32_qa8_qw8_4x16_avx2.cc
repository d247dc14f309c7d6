// W8A8 GEMM for AVX2: 2 rows x 32 columns (two panels) or 4 x 16, two lines at a time where their products can be summed in int16, and 5 rows
// x 16 columns line by line for few rows. Zero points are corrected in the epilogue by the weights' column sums.
#include "kernels_int8/avx2/low_bytes.h"

namespace ert::kernels {
namespace {

// Integer sums of a tile to floats.
template <int kRows, int kHalves>
inline __attribute__((always_inline)) void store_tile(const TileArgs& t, const __m256i (&acc)[kRows][kHalves]) {
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(t.rows[r].scale);
    const __m256i correction = _mm256_set1_epi32(128 - zero_point_of(t.rows[r]));
#pragma GCC unroll 16
    for (int h = 0; h < kHalves; ++h) {
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
inline __attribute__((always_inline)) void start(const RowScale* rows, __m256i (&acc)[kRows][2]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) acc[r][0] = all_lanes(lack_of(rows[r])), acc[r][1] = all_lanes(lack_of(rows[r]));
}

// Line by line.
template <int kRows, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][2];
  start(t.rows, acc);
  const uint8_t* lhs = t.lhs;
  const int8_t* rhs = t.rhs;
  for (size_t lines = t.k / 4; lines > 0; --lines, lhs += kRowLineBytes, rhs += kLineBytes) {
    add_line_of_rows<kRows, kAhead>(acc, lhs, t.row_bytes, rhs, t.panel_bytes, ones);
  }
  store_tile(t, acc);
}

// Two lines at a time where the panel's marks say so.
template <Marks kMarks, int kRows, bool kAhead = false>
__attribute__((noinline)) void pair_tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][2];
  start(t.rows, acc);
  for_line_pairs<kMarks, kRows>(
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

template <int kRows>
inline __attribute__((always_inline)) void add_line_of_panels_of_rows(__m256i (&acc)[kRows][4], const uint8_t* lhs,
                                                                      const int8_t* rhs, const TileArgs& t, __m256i ones) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) add_line_of_panels(acc[r], lhs + r * t.row_bytes, rhs, t.panel_bytes, ones);
}

template <int kRows, bool kAhead>
inline __attribute__((always_inline)) void add_two_lines_of_panels_of_rows(__m256i (&acc)[kRows][4], const uint8_t* lhs,
                                                                           const int8_t* rhs, const TileArgs& t, __m256i ones) {
  if constexpr (kAhead) {
    _mm_prefetch(rhs + t.ahead, _MM_HINT_T0);
    _mm_prefetch(rhs + t.ahead + kLineBytes, _MM_HINT_T0);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) add_two_lines_of_panels(acc[r], lhs + r * t.row_bytes, rhs, t.panel_bytes, ones);
}

// The same of low rows. With kAhead the lines of the next group of panels are on their way to the near cache afterwards.
template <int kRows, int kPanels, bool kAhead>
__attribute__((noinline)) void low_tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][2 * kPanels];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int h = 0; h < 2 * kPanels; ++h) acc[r][h] = all_lanes(0);
  }
  const size_t ahead = kPanels > 1 ? t.ahead : t.panel_bytes;
  for_line_pairs<Marks::kOfLowRows, kRows>(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        if constexpr (kAhead) {
          _mm_prefetch(rhs + ahead, _MM_HINT_T0);
          _mm_prefetch(rhs + ahead + kLineBytes, _MM_HINT_T0);
        }
        add_two_low_lines_of_rows(acc, lhs, rhs, t, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_low_line_of_rows(acc, lhs, rhs, t, ones);
        add_low_line_of_rows(acc, lhs + kRowLineBytes, rhs + kLineBytes, t, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_split_line_of_rows(acc, lhs, rhs, t, ones);
        add_split_line_of_rows(acc, lhs + kRowLineBytes, rhs + kLineBytes, t, ones);
      });
  const size_t lines = t.k / 4;
  if (lines % 2 != 0) add_split_line_of_rows(acc, t.lhs + (lines - 1) * kRowLineBytes, t.rhs + (lines - 1) * kLineBytes, t, ones);
  store_tile(t, acc);
}

// Two panels at a time, by pairs of lines that both have marked.
template <Marks kMarks, int kRows, bool kAhead = false>
__attribute__((noinline)) void two_panels_tile(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[kRows][4];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int h = 0; h < 4; ++h) acc[r][h] = all_lanes(lack_of(t.rows[r]));
  }
  for_line_pairs<kMarks, kRows>(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs)
          __attribute__((always_inline)) { add_two_lines_of_panels_of_rows<kRows, kAhead>(acc, lhs, rhs, t, ones); },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_line_of_panels_of_rows(acc, lhs, rhs, t, ones);
        add_line_of_panels_of_rows(acc, lhs + kRowLineBytes, rhs + kLineBytes, t, ones);
      });
  const size_t lines = t.k / 4;
  if (lines % 2 != 0)
    add_line_of_panels_of_rows(acc, t.lhs + (lines - 1) * kRowLineBytes, t.rhs + (lines - 1) * kLineBytes, t, ones);
  store_tile(t, acc);
}

// One row: panel after panel is one stream through memory. Sums of two lines hide the latency.
void one_row(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i even[1][2], odd[1][2];
  start(t.rows, even);
  odd[0][0] = all_lanes(0), odd[0][1] = all_lanes(0);
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

inline __attribute__((always_inline)) void add_line_of_four_panels(__m256i (&acc)[2][4], const uint8_t* lhs, const int8_t* rhs,
                                                                   const TileArgs& t, __m256i ones) {
  add_line_of_panels(acc[0], lhs, rhs, t.panel_bytes, ones);
  add_line_of_panels(acc[1], lhs, rhs + 2 * t.panel_bytes, t.panel_bytes, ones);
}

// Four panels of one row, for weights that do not come from afar: their lines share the broadcasts of the row's values, and their
// epilogues overlap.
void four_panels_of_one_row(const TileArgs& t) {
  const __m256i ones = ones16();
  __m256i acc[2][4];
#pragma GCC unroll 2
  for (int p = 0; p < 2; ++p) {
#pragma GCC unroll 4
    for (int h = 0; h < 4; ++h) acc[p][h] = all_lanes(lack_of(t.rows[0]));
  }
  for_line_pairs<Marks::kOfRows, 1>(
      t,
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_two_lines_of_panels(acc[0], lhs, rhs, t.panel_bytes, ones);
        add_two_lines_of_panels(acc[1], lhs, rhs + 2 * t.panel_bytes, t.panel_bytes, ones);
      },
      [&](const uint8_t* lhs, const int8_t* rhs) __attribute__((always_inline)) {
        add_line_of_four_panels(acc, lhs, rhs, t, ones);
        add_line_of_four_panels(acc, lhs + kRowLineBytes, rhs + kLineBytes, t, ones);
      });
  const size_t lines = t.k / 4;
  if (lines % 2 != 0) add_line_of_four_panels(acc, t.lhs + (lines - 1) * kRowLineBytes, t.rhs + (lines - 1) * kLineBytes, t, ones);
  const __m256i sums[1][8] = {{acc[0][0], acc[0][1], acc[0][2], acc[0][3], acc[1][0], acc[1][1], acc[1][2], acc[1][3]}};
  store_tile(t, sums);
}

constexpr TileFn kOneRowFourPanels[] = {four_panels_of_one_row};
constexpr TileFn kTiles[] = {one_row, tile<2>, tile<3>, tile<4>, tile<5>};
constexpr TileFn kTilesAhead[] = {nullptr, nullptr, tile<3, true>, tile<4, true>, tile<5, true>};
template <Marks kMarks>
struct PairTiles {
  static constexpr TileFn kNear[] = {pair_tile<kMarks, 1>, pair_tile<kMarks, 2>, pair_tile<kMarks, 3>, pair_tile<kMarks, 4>};
  static constexpr TileFn kAhead[] = {pair_tile<kMarks, 1, true>, pair_tile<kMarks, 2, true>, pair_tile<kMarks, 3, true>,
                                      pair_tile<kMarks, 4, true>};
};
template <Marks kMarks>
struct TwoPanels {
  static constexpr TileFn kNear[] = {two_panels_tile<kMarks, 1>, two_panels_tile<kMarks, 2>};
  static constexpr TileFn kAhead[] = {two_panels_tile<kMarks, 1, true>, two_panels_tile<kMarks, 2, true>};
};

template <int kPanels>
struct LowTiles;
template <>
struct LowTiles<1> {
  static constexpr TileFn kNear[] = {low_tile<1, 1, false>, low_tile<2, 1, false>, low_tile<3, 1, false>, low_tile<4, 1, false>};
  static constexpr TileFn kAhead[] = {low_tile<1, 1, true>, low_tile<2, 1, true>, low_tile<3, 1, true>, low_tile<4, 1, true>};
};
template <>
struct LowTiles<2> {
  static constexpr TileFn kNear[] = {low_tile<1, 2, false>, low_tile<2, 2, false>};
  static constexpr TileFn kAhead[] = {low_tile<1, 2, true>, low_tile<2, 2, true>};
};

// From so many rows on tiles have two rows and two panels instead of four rows and one. Two rows have more marks in common than four, so that low rows, whose
// marks differ most, always take two panels; two panels have fewer in common than one, and from afar the weights of two come too fast for few rows.
constexpr size_t kRowsForTwoPanels = 5, kRowsForTwoMarkedPanels = 24;

}  // namespace

void gemm_f32_qa8_qw8_4x16_avx2(const GemmArgs& all) {
  by_marked_rows<LookAtRows>(all, [](const GemmArgs& g, const RowMarks& of_rows, Marks by) {
    if (by == Marks::kOfLowRows) {
      const size_t column = gemm_by_row_marks<32, LastGroup::kWhole, LowTiles<2>>(g, 0, of_rows);
      gemm_by_row_marks<16, LastGroup::kCut, LowTiles<1>>(g, column, of_rows);
      return;
    }
    if (g.m == 1) {
      const bool near = g.n * g.k <= g.caches.near_to_one_row();
      const auto with_marks = [&](TileArgs* t) { t->row_marks = &of_rows; };
      const size_t column = near ? gemm_columns<64, LastGroup::kWhole>(kOneRowFourPanels, g, 0, with_marks) : 0;
      gemm_columns<16, LastGroup::kCut>(kTiles, g, column);
      return;
    }
    const bool many = by == Marks::kOfRows;
    const RowMarks* marks = many ? &of_rows : nullptr;
    if (!many && g.m < kRowsForPairs) return gemm_by_lines<kTiles, kTilesAhead>(g);
    const auto fits = [](const int8_t* lines, size_t) __attribute__((always_inline)) { return none_above_252(largest_sums(lines)); };
    const auto both_fit = [](const int8_t* lines, size_t panel_bytes) __attribute__((always_inline)) {
      return none_above_252(_mm256_max_epi16(largest_sums(lines), largest_sums(lines + panel_bytes)));
    };
    const bool two_panels = g.m >= (many ? kRowsForTwoPanels : kRowsForTwoMarkedPanels);
    const size_t column = two_panels ? gemm_by_marks<32, LastGroup::kWhole, TwoPanels>(g, 0, marks, both_fit) : 0;
    gemm_by_marks<16, LastGroup::kCut, PairTiles>(g, column, marks, fits);
  });
}

}  // namespace ert::kernels
