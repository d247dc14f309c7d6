// W8A8 GEMM for AVX512-VNNI: 8 rows x 48 columns in 24 accumulators; fewer rows take wider tiles. Weight panels are the
// outer loop, so that each weight byte leaves the far caches once per call.
#include "kernels_int8/avx512vnni/clamp.h"
#include "kernels_int8/avx512vnni/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

constexpr int kMaxRows = 8;

// Sums of one tile, [rows][panels] registers, to floats. One copy for all tiles but the hot ones: unrolled into each tile it
// is most of the code.
__attribute__((noinline)) void epilogue(const GemmArgs& g, const __m512i* sums, size_t rows, size_t panels, size_t row,
                                        size_t column, size_t columns) {
  const PackedWeights& w = g.w;
  for (size_t p = 0; p < panels; ++p, column += 16, columns -= 16, ++sums) {
    const __mmask16 mask = columns >= 16 ? 0xffff : static_cast<__mmask16>((1u << columns) - 1);
    const __m512 scale = _mm512_maskz_loadu_ps(mask, w.scale + column);
    const __m512i colsum = _mm512_maskz_loadu_epi32(mask, w.colsum + column);
    // x + -0 is x for every x, so a missing bias needs no second form.
    const __m512 bias = w.bias != nullptr ? _mm512_maskz_loadu_ps(mask, w.bias + column) : _mm512_set1_ps(-0.0f);
    float* dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
    for (size_t r = 0; r < rows; ++r, dst += g.dst_stride) {
      const __m512i correction = _mm512_mullo_epi32(_mm512_set1_epi32(g.scales[row + r].zero_point), colsum);
      const __m512 sum = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums[r * panels], correction));
      const __m512 scaled = _mm512_mul_ps(sum, _mm512_mul_ps(_mm512_set1_ps(g.scales[row + r].scale), scale));
      _mm512_mask_storeu_ps(dst, mask, clamped_by_kind(g.clamp, _mm512_add_ps(scaled, bias)));
    }
  }
}

// The same from registers, for the tiles that do most of the work. Panel by panel: the parameters of one fit beside the sums.
template <bool kClamps, int kRows, int kPanels>
inline __attribute__((always_inline)) void store_from_registers(const GemmArgs& g, const __m512i (&acc)[kRows][kPanels], size_t row,
                                                                size_t column, size_t columns) {
  const PackedWeights& w = g.w;
  const RowScale* rows = g.scales + row;
  // By bits NaN, whose sign is set behind relu_by_kind(), is less than 6.
  const __m512i most = g.clamp == Clamp::kRelu6 ? _mm512_castps_si512(_mm512_set1_ps(6.0f)) : _mm512_set1_epi32(INT32_MAX);
  float* dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p, column += 16, dst += 16) {
    const __mmask16 mask = p + 1 < kPanels ? 0xffff : static_cast<__mmask16>((1u << (columns - 16 * p)) - 1);
    const __m512 scale = _mm512_maskz_loadu_ps(mask, w.scale + column);
    const __m512i colsum = _mm512_maskz_loadu_epi32(mask, w.colsum + column);
    // x + -0 is x for every x, so a missing bias needs no second form.
    const __m512 bias = w.bias != nullptr ? _mm512_maskz_loadu_ps(mask, w.bias + column) : _mm512_set1_ps(-0.0f);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i correction = _mm512_mullo_epi32(_mm512_set1_epi32(rows[r].zero_point), colsum);
      const __m512 sum = _mm512_cvtepi32_ps(_mm512_sub_epi32(acc[r][p], correction));
      const __m512 scaled = _mm512_mul_ps(sum, _mm512_mul_ps(_mm512_set1_ps(rows[r].scale), scale));
      __m512 y = _mm512_add_ps(scaled, bias);
      if constexpr (kClamps) y = _mm512_castsi512_ps(_mm512_min_epi32(_mm512_castps_si512(relu_by_kind(y)), most));
      _mm512_mask_storeu_ps(dst + r * g.dst_stride, mask, y);
    }
  }
}

template <int kRows, int kPanels>
inline __attribute__((always_inline)) void epilogue_in_registers(const GemmArgs& g, const __m512i (&acc)[kRows][kPanels],
                                                                 size_t row, size_t column, size_t columns) {
  if (g.clamp == Clamp::kNone) return store_from_registers<false>(g, acc, row, column, columns);
  store_from_registers<true>(g, acc, row, column, columns);
}

// Rows [row, row + kRows), columns [column, column + columns) with columns in (16 * (kPanels - 1), 16 * kPanels]. Fetches kAhead
// panels of the next group.
template <int kRows, int kPanels, int kAhead = 0>
__attribute__((noinline)) void tile(const GemmArgs& g, size_t row, size_t column, size_t columns) {
  const size_t k4 = round_up(g.k, 4);
  __m512i acc[kRows][kPanels];
  accumulate<kRows, kPanels, kAhead>(acc, static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes, g.row_bytes,
                                     g.w.data + column * k4, 16 * k4, k4,
                                     (kPanels + first_panel_ahead(kAhead, row, kMaxRows)) * 16 * k4);
  if constexpr ((kPanels == 3 && kRows >= 4) || kPanels == 4 || kRows == kMaxRows) {
    epilogue_in_registers<kRows, kPanels>(g, acc, row, column, columns);
  } else {
    __m512i sums[kRows * kPanels];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) sums[r * kPanels + p] = acc[r][p];
    }
    epilogue(g, sums, kRows, kPanels, row, column, columns);
  }
}

inline __attribute__((always_inline)) __m512i broadcast4(const uint8_t* p) {
  int32_t word;
  memcpy(&word, p, sizeof(word));
  return _mm512_set1_epi32(word);
}

// sum += four values of one row times a line of weights, straight from memory.
inline __attribute__((always_inline)) void mac_line(__m512i& sum, __m512i lhs4, const int8_t* line) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(lhs4), "m"(*reinterpret_cast<const __m512i_u*>(line)));
}

// One row from `column` on: weights are read once from far caches, and one panel after the other is one stream through memory, which the
// prefetchers follow; several panels side by side are as many streams a page apart. Four sums hide the latency; they have names
// because GCC 12 keeps an array of them in memory.
void one_row(const GemmArgs& g, size_t column) {
  constexpr size_t kLine = 64;
  const size_t lines = round_up(g.k, 4) / 4;
  const int8_t* rhs = g.w.data + column * 4 * lines;
  for (; column < g.n; column += 16) {
    const uint8_t* lhs = static_cast<const uint8_t*>(g.lhs);
    __m512i sum0 = zero(), sum1 = zero(), sum2 = zero(), sum3 = zero();
    for (size_t i = lines / 4; i > 0; --i, lhs += 16, rhs += 4 * kLine) {
      mac_line(sum0, broadcast4(lhs), rhs);
      mac_line(sum1, broadcast4(lhs + 4), rhs + kLine);
      mac_line(sum2, broadcast4(lhs + 8), rhs + 2 * kLine);
      mac_line(sum3, broadcast4(lhs + 12), rhs + 3 * kLine);
    }
    for (size_t i = lines % 4; i > 0; --i, lhs += 4, rhs += kLine) mac_line(sum0, broadcast4(lhs), rhs);
    const __m512i sum[1][1] = {{_mm512_add_epi32(_mm512_add_epi32(sum0, sum1), _mm512_add_epi32(sum2, sum3))}};
    epilogue_in_registers<1, 1>(g, sum, 0, column, g.n - column < 16 ? g.n - column : 16);
  }
}

// Four panels of one row: their lines share the broadcast of the row's values, which takes a load as a line does, and their
// epilogues overlap. Sums of two lines hide the latency.
void four_panels_of_one_row(const GemmArgs& g, size_t column) {
  constexpr size_t kLine = 64;
  const size_t k4 = round_up(g.k, 4), panel = 16 * k4;
  const uint8_t* lhs = static_cast<const uint8_t*>(g.lhs);
  const int8_t *p = g.w.data + column * k4, *q = p + 2 * panel;
  __m512i a0 = zero(), a1 = zero(), a2 = zero(), a3 = zero(), b0 = zero(), b1 = zero(), b2 = zero(), b3 = zero();
  size_t lines = k4 / 4;
  for (; lines >= 2; lines -= 2, lhs += 8, p += 2 * kLine, q += 2 * kLine) {
    const __m512i even = broadcast4(lhs), odd = broadcast4(lhs + 4);
    mac_line(a0, even, p), mac_line(a1, even, p + panel), mac_line(a2, even, q), mac_line(a3, even, q + panel);
    mac_line(b0, odd, p + kLine), mac_line(b1, odd, p + panel + kLine);
    mac_line(b2, odd, q + kLine), mac_line(b3, odd, q + panel + kLine);
  }
  if (lines > 0) {
    const __m512i last = broadcast4(lhs);
    mac_line(a0, last, p), mac_line(a1, last, p + panel), mac_line(a2, last, q), mac_line(a3, last, q + panel);
  }
  const __m512i sums[1][4] = {
      {_mm512_add_epi32(a0, b0), _mm512_add_epi32(a1, b1), _mm512_add_epi32(a2, b2), _mm512_add_epi32(a3, b3)}};
  epilogue_in_registers<1, 4>(g, sums, 0, column, 64);
}

using MaskedTileFn = void (*)(const GemmArgs&, size_t, size_t, size_t);
constexpr MaskedTileFn kTiles3[kMaxRows] = {tile<1, 3>, tile<2, 3>, tile<3, 3>, tile<4, 3>,
                                            tile<5, 3>, tile<6, 3>, tile<7, 3>, tile<8, 3>};
// Groups of one or two panels only end a matrix or a thread's share of it: four heights do.
constexpr MaskedTileFn kTiles2[kMaxRows] = {tile<1, 2>, tile<2, 2>, nullptr, tile<4, 2>, nullptr, nullptr, nullptr, tile<8, 2>};
constexpr MaskedTileFn kTiles1[kMaxRows] = {tile<1, 1>, tile<2, 1>, nullptr, tile<4, 1>, nullptr, nullptr, nullptr, tile<8, 1>};
// Four panels, which are all of a matrix with 64 columns: entry r - 3 does r rows.
constexpr size_t kMostRowsOf4 = 6, kLeastRowsOf4 = 3;
constexpr MaskedTileFn kTiles4[] = {tile<3, 4>, tile<4, 4>, tile<5, 4>, tile<6, 4>};
constexpr MaskedTileFn kTiles6[2] = {tile<1, 6>, tile<2, 6>};

// The same that fetch one or all panels of the next group; blocks that do have at least 4 rows.
constexpr MaskedTileFn kTiles3Ahead1[kMaxRows] = {nullptr,       nullptr,       nullptr,       tile<4, 3, 1>,
                                                  tile<5, 3, 1>, tile<6, 3, 1>, tile<7, 3, 1>, tile<8, 3, 1>};
constexpr MaskedTileFn kTiles3Ahead3[kMaxRows] = {nullptr,       nullptr,       nullptr,       tile<4, 3, 3>,
                                                  tile<5, 3, 3>, tile<6, 3, 3>, tile<7, 3, 3>, tile<8, 3, 3>};

// All rows of one panel group, split evenly where every height exists.
void all_rows(const GemmArgs& g, const MaskedTileFn* tiles, bool every_height, size_t column, size_t columns) {
  if (every_height) {
    const bool far = tiles == kTiles3 && is_far(g);
    for_even_blocks(g.m, kMaxRows, [&](size_t row, size_t rows) {
      const int ahead = far ? panels_ahead(g.m, row, kMaxRows) : 0;
      (ahead == 3 ? kTiles3Ahead3 : ahead == 1 ? kTiles3Ahead1 : tiles)[rows - 1](g, row, column, columns);
    });
    return;
  }
  for (size_t row = 0; row < g.m;) {
    const size_t left = g.m - row;
    const size_t rows = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    tiles[rows - 1](g, row, column, columns);
    row += rows;
  }
}

}  // namespace

void gemm_f32_qa8_qw8_8x48_avx512vnni(const GemmArgs& g) {
  size_t column = 0;
  if (g.m > kMostRowsOf4 && g.n > 48 && g.n <= 64) {
    return for_even_blocks(g.m, kMostRowsOf4, [&](size_t row, size_t rows) { kTiles4[rows - kLeastRowsOf4](g, row, 0, g.n); });
  }
  if (g.m == 1) {
    // Four panels side by side of weights that a recurrence, which reads them in every step, finds in the first cache. What comes from the
    // second is faster panel after panel, as one stream.
    if (g.n * g.k <= g.caches.l1d) {
      for (; column + 64 <= g.n; column += 64) four_panels_of_one_row(g, column);
    }
    return one_row(g, column);
  }
  while (column < g.n) {
    const size_t left = g.n - column;
    const size_t panels = (left + 15) / 16;
    size_t take = panels < 3 ? panels : panels == 4 ? 2 : 3;
    const MaskedTileFn* tiles = take == 3 ? kTiles3 : take == 2 ? kTiles2 : kTiles1;
    if (g.m <= 2 && panels >= 6) {
      take = 6;
      tiles = kTiles6;
    }
    const size_t columns = left < 16 * take ? left : 16 * take;
    all_rows(g, tiles, take >= 3, column, columns);
    column += columns;
  }
}

}  // namespace ert::kernels
