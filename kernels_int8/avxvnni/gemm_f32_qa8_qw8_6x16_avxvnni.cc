// W8A8 GEMM for AVX-VNNI: 6 rows x 16 columns, 12 accumulators of 16 registers; two or three rows that are left take two panels and one row has sums
// of its own, to have enough independent ones. Zero points are corrected in the epilogue by the weights' column sums.
#include "kernels_int8/avxvnni/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

// Integer sums of a tile to floats.
template <bool kClamps, int kRows, int kPanels>
inline __attribute__((always_inline)) void store_floats(const TileArgs& t, const __m256i (&acc)[kRows][2 * kPanels]) {
  const __m256 zero = _mm256_setzero_ps(), most = _mm256_set1_ps(t.clamp == Clamp::kRelu6 ? 6.0f : __builtin_inff());
  const float *column_scale = t.scale, *bias = t.bias;
  const int32_t* colsums = t.colsum;
  const RowScale* rows = t.rows;
  const ptrdiff_t stride = t.dst_stride;
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m256 row_scale = _mm256_set1_ps(rows[r].scale);
    const __m256i zero_point = _mm256_set1_epi32(rows[r].zero_point);
#pragma GCC unroll 16
    for (int j = 0; j < 2 * kPanels; ++j) {
      const __m256i colsum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(colsums + 8 * j));
      const __m256i sum = _mm256_sub_epi32(acc[r][j], _mm256_mullo_epi32(zero_point, colsum));
      const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(column_scale + 8 * j));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
      __m256 y = _mm256_add_ps(scaled, _mm256_loadu_ps(bias + 8 * j));
      if constexpr (kClamps) y = _mm256_min_ps(most, _mm256_add_ps(_mm256_max_ps(zero, y), zero));
      _mm256_storeu_ps(dst + 8 * j, y);
    }
    dst += stride;
  }
}

template <int kRows, int kPanels>
inline __attribute__((always_inline)) void store_tile(const TileArgs& t, const __m256i (&acc)[kRows][2 * kPanels]) {
  if (t.clamp == Clamp::kNone) return store_floats<false, kRows, kPanels>(t, acc);
  store_floats<true, kRows, kPanels>(t, acc);
}

template <int kRows, int kPanels, bool kAhead = false>
__attribute__((noinline)) void tile(const TileArgs& t) {
  __m256i acc[kRows][2 * kPanels];
  accumulate<kRows, kPanels, kAhead>(acc, t.lhs, t.row_bytes, t.rhs, t.panel_bytes, t.k, kPanels * t.panel_bytes);
  store_tile<kRows, kPanels>(t, acc);
}

// sum += four values of one row times half a line of weights, straight from memory.
inline __attribute__((always_inline)) void mac_half(__m256i& sum, __m256i lhs4, const int8_t* half_line) {
  __asm__(ERT_VEX "vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(lhs4), "m"(*reinterpret_cast<const __m256i_u*>(half_line)));
}

// One row: panel after panel is one stream through memory. Sums of four lines hide the latency; they have names because GCC 12 keeps
// arrays of them in memory.
void one_row(const TileArgs& t) {
  __m256i a0 = zero(), a1 = zero(), b0 = zero(), b1 = zero(), c0 = zero(), c1 = zero(), d0 = zero(), d1 = zero();
  const uint8_t* lhs = t.lhs;
  const int8_t* rhs = t.rhs;
  size_t lines = t.k / 4;
  for (; lines >= 4; lines -= 4, lhs += 16, rhs += 256) {
    const __m256i a = broadcast4(lhs), b = broadcast4(lhs + 4), c = broadcast4(lhs + 8), d = broadcast4(lhs + 12);
    mac_half(a0, a, rhs), mac_half(a1, a, rhs + 32);
    mac_half(b0, b, rhs + 64), mac_half(b1, b, rhs + 96);
    mac_half(c0, c, rhs + 128), mac_half(c1, c, rhs + 160);
    mac_half(d0, d, rhs + 192), mac_half(d1, d, rhs + 224);
  }
  for (; lines > 0; --lines, lhs += 4, rhs += 64) {
    const __m256i a = broadcast4(lhs);
    mac_half(a0, a, rhs), mac_half(a1, a, rhs + 32);
  }
  const __m256i sums[1][2] = {{_mm256_add_epi32(_mm256_add_epi32(a0, b0), _mm256_add_epi32(c0, d0)),
                               _mm256_add_epi32(_mm256_add_epi32(a1, b1), _mm256_add_epi32(c1, d1))}};
  store_tile<1, 1>(t, sums);
}

// Four panels of one row, for weights that do not come from afar: their lines share the broadcast of the row's values, which takes a
// load as half a line does, and their epilogues overlap. Eight sums hide the latency.
void four_panels_of_one_row(const TileArgs& t) {
  __m256i a0 = zero(), a1 = zero(), b0 = zero(), b1 = zero(), c0 = zero(), c1 = zero(), d0 = zero(), d1 = zero();
  const uint8_t* lhs = t.lhs;
  const int8_t *p = t.rhs, *q = p + 2 * t.panel_bytes;
  for (size_t lines = t.k / 4; lines > 0; --lines, lhs += 4, p += 64, q += 64) {
    const __m256i a = broadcast4(lhs);
    mac_half(a0, a, p), mac_half(a1, a, p + 32);
    mac_half(b0, a, p + t.panel_bytes), mac_half(b1, a, p + t.panel_bytes + 32);
    mac_half(c0, a, q), mac_half(c1, a, q + 32);
    mac_half(d0, a, q + t.panel_bytes), mac_half(d1, a, q + t.panel_bytes + 32);
  }
  const __m256i sums[1][8] = {{a0, a1, b0, b1, c0, c1, d0, d1}};
  store_tile<1, 4>(t, sums);
}

constexpr TileFn kOnePanel[] = {tile<1, 1>, tile<2, 1>, tile<3, 1>, tile<4, 1>, tile<5, 1>, tile<6, 1>};
// Weights that lie behind the near cache: while the second tile of a panel multiplies, it fetches the next panel. A second tile has
// at least 3 rows.
constexpr TileFn kOnePanelAhead[] = {nullptr, nullptr, tile<3, 1, true>, tile<4, 1, true>, tile<5, 1, true>, tile<6, 1, true>};
constexpr TileFn kTwoPanels[] = {nullptr, tile<2, 2>, tile<3, 2>};
constexpr TileFn kTwoPanelsAhead[] = {nullptr, tile<2, 2, true>, tile<3, 2, true>};
constexpr TileFn kOneRow[] = {one_row};
constexpr TileFn kOneRowFourPanels[] = {four_panels_of_one_row};

constexpr size_t kRows = 6;

// Rows behind sixes that take two panels at a time, because of one panel they have too few sums to hide the latency. One row alone takes two of a six with it; four or
// five are a tile.
inline size_t rows_behind_sixes(size_t m) {
  constexpr size_t kBehind[kRows] = {0, 3, 2, 3, 0, 0};
  return kBehind[m % kRows];
}

// All rows, a panel at a time, from `column` on. Of far weights the second tile fetches the next panel.
template <LastGroup kLast, size_t kTogether>
inline void multiply_panels(const GemmArgs& g, size_t column, bool far) {
  if (far)
    gemm_columns<16, kLast, Layout::kN16K4, kOnePanelAhead, kTogether>(kOnePanel, g, column);
  else
    gemm_columns<16, kLast, Layout::kN16K4, nullptr, kTogether>(kOnePanel, g, column);
}

// At least two rows, all pairs of panels; returns the first column behind them.
size_t multiply_pairs_of_panels(const GemmArgs& g, bool far) {
  GemmArgs rest = g, sixes = g;
  rest.m = rows_behind_sixes(g.m);
  sixes.m = g.m - rest.m;
  rest.lhs = static_cast<const uint8_t*>(g.lhs) + sixes.m * g.row_bytes;
  rest.scales += sixes.m;
  rest.dst += static_cast<ptrdiff_t>(sixes.m) * g.dst_stride;
  const auto& tiles = far && sixes.m <= kRows ? kTwoPanelsAhead : kTwoPanels;
  const size_t end = g.n / 32 * 32, fitting = g.caches.kept_near() / round_up(g.k, 4) / 32 * 32;
  const size_t together = sixes.m == 0 ? end : fitting < 32 ? 32 : fitting;
  for (size_t column = 0; column < end; column = rest.n) {
    sixes.n = rest.n = end - column < together ? end : column + together;
    if (sixes.m > 0) multiply_panels<LastGroup::kWhole, kRows>(sixes, column, far);
    gemm_columns<32, LastGroup::kWhole>(tiles, rest, column);
  }
  return end;
}

}  // namespace

void ERT_AVXVNNI_NAME(gemm_f32_qa8_qw8_6x16)(const GemmArgs& g) {
  size_t column = 0;
  if (g.m == 1) {
    if (g.n * g.k <= g.caches.far_from_tiles()) column = gemm_columns<64, LastGroup::kWhole>(kOneRowFourPanels, g, column);
    gemm_columns<16, LastGroup::kCut>(kOneRow, g, column);
    return;
  }
  const bool far = is_far(g);
  if (rows_behind_sixes(g.m) != 0) {
    column = multiply_pairs_of_panels(g, far);
    return multiply_panels<LastGroup::kCut, 1>(g, column, far);
  }
  multiply_panels<LastGroup::kCut, kRows>(g, column, far);
}

}  // namespace ert::kernels
