// int8 GEMMs of M4, M7 and M33: 2 rows x 2 columns of N16K4 or N2K16. Rows have their zero point taken off, and those of W8A16 are
// the same int16 rows unless they are long: then the digits are two rows for the same integer loop.
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/dsp/gemm_tile.h"
#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

constexpr int kColumns = 2;

inline void store(const TileArgs& t, int row, int column, F32 sum) {
  const F32 scaled = sum * (F32(t.rows[row].scale) * F32(t.scale[column]));
  t.dst[row * t.dst_stride + column] = to_float(scaled + F32(t.bias[column]));
}

template <Layout layout>
struct OneSum {
  template <int kRows>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t sums[kRows][kColumns];
    accumulate<layout>(sums, t.lhs, t.row_bytes, t.rhs, t.k);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) store(t, r, c, static_cast<float>(sums[r][c]));
    }
  }
  static constexpr TileFn kTiles[] = {tile<1>, tile<2>};
};

template <Layout layout>
struct TwoDigits {
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t sums[2][kColumns];
    accumulate<layout>(sums, t.lhs, t.row_bytes / 2, t.rhs, t.k);
    for (int c = 0; c < kColumns; ++c)
      store(t, 0, c, F32(static_cast<float>(sums[0][c])) * F32(128.0f) + F32(static_cast<float>(sums[1][c])));
  }
  static constexpr TileFn kTiles[] = {tile};
};

template <class Rows, Layout layout>
inline void gemm(const GemmArgs& g) {
  gemm_of_layout<kColumns, 2>(layout, Rows::kTiles, sizeof(Rows::kTiles) / sizeof(TileFn), g);
}
template <Layout layout>
void gemm16(const GemmArgs& g) {
  g.k <= kOneSumMaxK ? gemm<OneSum<layout>, layout>(g) : gemm<TwoDigits<layout>, layout>(g);
}

}  // namespace

void gemm_f32_qa8_qw8_2x2_dsp(const GemmArgs& g) { gemm<OneSum<Layout::kN16K4>, Layout::kN16K4>(g); }
void gemm_f32_qa8_qw8n2k16_2x2_dsp(const GemmArgs& g) { gemm<OneSum<Layout::kN2K16>, Layout::kN2K16>(g); }
void gemm_f32_qa16_qw8_2x2_dsp(const GemmArgs& g) { gemm16<Layout::kN16K4>(g); }
void gemm_f32_qa16_qw8n2k16_2x2_dsp(const GemmArgs& g) { gemm16<Layout::kN2K16>(g); }

}  // namespace ert::kernels
