// int8 GEMMs of Helium: 3 rows x 2 columns of N16K4 or N2K16.
#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/mve/gemm_tile.h"

namespace ert::kernels {
namespace {

constexpr int kColumns = 2;

inline __attribute__((always_inline)) const int8_t* bytes(const uint8_t* p) {
  return static_cast<const int8_t*>(static_cast<const void*>(p));
}

inline void store(const TileArgs& t, int row, int column, float sum) {
  const float scaled = sum * (t.rows[row].scale * t.scale[column]);
  t.dst[row * t.dst_stride + column] = scaled + t.bias[column];
}

// W8A8: rows hold q - 128.
template <Layout layout>
struct Rows8 {
  template <int kRows>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t sums[kRows][kColumns];
    accumulate<layout>(sums, bytes(t.lhs), t.row_bytes, t.rhs, t.k);
    for (int r = 0; r < kRows; ++r) {
      const int32_t shift = t.rows[r].zero_point - 128;
      for (int c = 0; c < kColumns; ++c) store(t, r, c, static_cast<float>(sums[r][c] - shift * t.colsum[c]));
    }
  }
};

// W8A16: the same weights times the high digits and the low ones, which are half a row behind.
template <Layout layout>
struct Rows16 {
  template <int kRows>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t hi[kRows][kColumns], lo[kRows][kColumns];
    accumulate<layout>(hi, bytes(t.lhs), t.row_bytes, t.rhs, t.k);
    accumulate<layout>(lo, bytes(t.lhs) + t.row_bytes / 2, t.row_bytes, t.rhs, t.k);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) store(t, r, c, static_cast<float>(hi[r][c]) * 128.0f + static_cast<float>(lo[r][c]));
    }
  }
};

template <template <Layout> class Rows, Layout layout>
void gemm(const GemmArgs& g) {
  using R = Rows<layout>;
  static constexpr TileFn kTiles[] = {R::template tile<1>, R::template tile<2>, R::template tile<3>};
  gemm_columns<kColumns, LastGroup::kCut, layout>(kTiles, g, 0);
}

}  // namespace

void gemm_f32_qa8_qw8_3x2_mve(const GemmArgs& g) { gemm<Rows8, Layout::kN16K4>(g); }
void gemm_f32_qa8_qw8n2k16_3x2_mve(const GemmArgs& g) { gemm<Rows8, Layout::kN2K16>(g); }
void gemm_f32_qa16_qw8_3x2_mve(const GemmArgs& g) { gemm<Rows16, Layout::kN16K4>(g); }
void gemm_f32_qa16_qw8n2k16_3x2_mve(const GemmArgs& g) { gemm<Rows16, Layout::kN2K16>(g); }

}  // namespace ert::kernels
