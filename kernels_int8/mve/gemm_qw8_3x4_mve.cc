// int8 GEMMs of Helium: 3 rows x 4 columns of N16K4 or N2K16, summed two columns at a time; the sums become floats four at a time.
#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/mve/gemm_tile.h"

namespace ert::kernels {
namespace {

constexpr int kColumns = 4;

inline __attribute__((always_inline)) const int8_t* bytes(const uint8_t* p) {
  return static_cast<const int8_t*>(static_cast<const void*>(p));
}

// From the first two columns of a group to its others.
template <Layout layout>
size_t second_pair(const TileArgs& t) {
  return panel_columns(layout) == 2 ? t.panel_bytes : 2 * line_depth(layout);
}

// sums[d][r][c] of digit d, half of a row behind the one before, of all four columns. One loop, because the code inside is what a tile consists of.
template <Layout layout, int kDigits, int kRows>
inline __attribute__((always_inline)) void accumulate_four(int32_t (&sums)[kDigits][kRows][kColumns], const TileArgs& t) {
#pragma GCC unroll 1
  for (int i = 0; i < kDigits * kColumns / 2; ++i) {
    const int digit = i / 2, pair = i % 2;
    int32_t two[kRows][2];
    accumulate<layout>(two, bytes(t.lhs) + (digit != 0 ? t.row_bytes / 2 : 0), t.row_bytes, t.rhs + (pair != 0 ? second_pair<layout>(t) : 0), t.k);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) sums[digit][r][2 * pair] = two[r][0], sums[digit][r][2 * pair + 1] = two[r][1];
  }
}

// sum * (row's scale * column's) + bias, rounded apart as everywhere.
inline __attribute__((always_inline)) void store(const TileArgs& t, int row, float32x4_t sum) {
  const float32x4_t scaled = vmulq_f32(sum, vmulq_n_f32(vld1q_f32(t.scale), t.rows[row].scale));
  vst1q_f32(t.dst + row * t.dst_stride, vaddq_f32(scaled, vld1q_f32(t.bias)));
}

// W8A8: rows hold q - 128.
template <Layout layout>
struct Rows8 {
  template <int kRows>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t sums[1][kRows][kColumns];
    accumulate_four<layout>(sums, t);
    const int32x4_t colsum = vld1q_s32(t.colsum);
    for (int r = 0; r < kRows; ++r) {
      const int32_t shift = t.rows[r].zero_point - 128;
      store(t, r, vcvtq_f32_s32(vsubq_s32(vld1q_s32(sums[0][r]), vmulq_n_s32(colsum, shift))));
    }
  }
};

// W8A16: the same weights times the high digits and the low ones, which are half a row behind.
template <Layout layout>
struct Rows16 {
  template <int kRows>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32_t sums[2][kRows][kColumns];
    accumulate_four<layout>(sums, t);
    for (int r = 0; r < kRows; ++r)
      store(t, r, vaddq_f32(vmulq_n_f32(vcvtq_f32_s32(vld1q_s32(sums[0][r])), 128.0f), vcvtq_f32_s32(vld1q_s32(sums[1][r]))));
  }
};

// A last panel of N2K16 without another one behind it is read twice; what comes of the second time is cut off.
struct NoPanelBehind {
  const int8_t* end;
  void operator()(TileArgs* t) const {
    if (t->rhs + t->panel_bytes == end) t->panel_bytes = 0;
  }
};

template <template <Layout> class Rows, Layout layout>
void gemm(const GemmArgs& g) {
  using R = Rows<layout>;
  static constexpr TileFn kTiles[] = {R::template tile<1>, R::template tile<2>, R::template tile<3>};
  const NoPanelBehind prepare{panel_columns(layout) == 2 ? g.w.data + packed_bytes(layout, g.n, g.k) : nullptr};
  gemm_of_layout<kColumns, 3>(layout, kTiles, 3, g, prepare);
}

}  // namespace

void gemm_f32_qa8_qw8_3x4_mve(const GemmArgs& g) { gemm<Rows8, Layout::kN16K4>(g); }
void gemm_f32_qa8_qw8n2k16_3x4_mve(const GemmArgs& g) { gemm<Rows8, Layout::kN2K16>(g); }
void gemm_f32_qa16_qw8_3x4_mve(const GemmArgs& g) { gemm<Rows16, Layout::kN16K4>(g); }
void gemm_f32_qa16_qw8n2k16_3x4_mve(const GemmArgs& g) { gemm<Rows16, Layout::kN2K16>(g); }

}  // namespace ert::kernels
