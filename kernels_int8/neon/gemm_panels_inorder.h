// W8A8 of whole half panels by the loop of gemm_tile_inorder.h: all tiles of so many rows are one call, which saves registers once, and the first weights of a tile are loaded beside the last
// products of the one before. Rows that do not end with a block do so with zeros in the weights, where they are short: lines behind the last block take twice as long. Internal linkage.
#pragma once

#include "kernels_int8/neon/gemm_rows.h"
#include "kernels_int8/neon/gemm_tile_inorder.h"

namespace ert::kernels {
namespace {

// Tiles of a half panel, one behind the other; of whole blocks.
struct HalfPanelArgs {
  TileArgs first;
  size_t tiles;
};
using HalfPanelFn = void (*)(const HalfPanelArgs&);

template <int kRows>
__attribute__((noinline)) void half_panel_tiles(const HalfPanelArgs& p) {
  TileArgs t = p.first;
  const LineBlocks blocks = *t.blocks;
  const ptrdiff_t tile_bytes = kRows * static_cast<ptrdiff_t>(t.row_bytes);
  InOrderNeonLoop<kRows> loop;
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) loop.row[r] = bytes(t.lhs) + static_cast<size_t>(r) * t.row_bytes;
  loop.panel = t.rhs;
  loop.start(blocks);
  for (size_t left = p.tiles; left != 0; --left) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int h = 0; h < 4; ++h) loop.acc[r][h] = vdupq_n_s32(0);
    }
    const typename InOrderNeonLoop<kRows>::Next then = {loop.row[0] + (left == 1 ? 0 : tile_bytes), t.rhs, blocks.order};
    const size_t apart = blocks.count - blocks.together;
    if (apart == 0) {
      loop.template blocks<true>(blocks.together, &then);
    } else {
      loop.template blocks<true>(blocks.together);
      loop.template blocks<false>(apart, &then);
    }
#pragma GCC unroll 4
    for (int r = 1; r < kRows; ++r) loop.row[r] += tile_bytes;
    int32x4_t sums[kRows][2];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] = add_pairs(loop.acc[r][0], loop.acc[r][1]);
      sums[r][1] = add_pairs(loop.acc[r][2], loop.acc[r][3]);
    }
    Rows8::store<kRows, 2>(t, sums);
    t.rows += kRows;
    t.dst += kRows * t.dst_stride;
  }
}

// The weights of a half panel with zeros behind the last line.
class WholeBlocks {
 public:
  static constexpr size_t kMost = 16;

  static bool needed(size_t k) { return k % kBlockDepth != 0; }
  static bool possible(size_t k) { return !needed(k) || k <= kMost * kBlockDepth; }
  // k: rounded up to lines; at: the first line.
  const int8_t* of(const int8_t* at, size_t k) {
    size_t i = 0;
    for (; i < 16 * k; i += 64) {
      vst1q_s8(lines_ + i, vld1q_s8(at + i));
      vst1q_s8(lines_ + i + 16, vld1q_s8(at + i + 16));
    }
    for (; i % kBlockBytes != 0; i += 64) vst1q_s8(lines_ + i, vdupq_n_s8(0)), vst1q_s8(lines_ + i + 16, vdupq_n_s8(0));
    return lines_;
  }

 private:
  alignas(16) int8_t lines_[kMost * kBlockBytes];
};

// All half panels that lie in n. Returns the first column not done.
inline size_t gemm_half_panels(const GemmArgs& g, uint16_t* order) {
  static constexpr HalfPanelFn kTiles[] = {half_panel_tiles<1>, half_panel_tiles<2>, half_panel_tiles<3>, half_panel_tiles<4>};
  const size_t lines = round_up(g.k, 4), k = round_up(lines, kBlockDepth);
  if (g.m == 0 || lines == 0 || !WholeBlocks::possible(lines)) return 0;
  const bool looks = g.m >= kRowsForBlocks;
  // Even tiles: the first `longer` ones have a row more.
  const size_t tiles = (g.m + 3) / 4, rows = g.m / tiles, longer = g.m - rows * tiles;
  WholeBlocks whole;
  LineBlocks blocks = blocks_in_order(k, order);
  HalfPanelArgs p = {{k, nullptr, g.row_bytes, nullptr, nullptr, 16 * lines, nullptr, nullptr, nullptr, nullptr, g.dst_stride}, 0};
  p.first.clamp = g.clamp;
  p.first.blocks = &blocks;
  ColumnGroup<8> group;
  size_t column = 0;
  for (; column + 8 <= g.n; column += 8) {
    group.select(g.w, column, 8);
    p.first.scale = group.scale;
    p.first.colsum = group.colsum;
    p.first.bias = group.bias;
    const int8_t* const rhs = g.w.data + (column - column % 16) * lines + 4 * (column % 16);
    p.first.rhs = WholeBlocks::needed(lines) ? whole.of(rhs, lines) : rhs;
    if (looks) blocks = blocks_that_fit_first(p.first.rhs, k, order);
    const auto run = [&](size_t row, size_t count, size_t in_tile) __attribute__((always_inline)) {
      p.first.lhs = static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes;
      p.first.rows = g.scales + row;
      p.first.dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
      p.tiles = count;
      kTiles[in_tile - 1](p);
    };
    if (longer > 0) run(0, longer, rows + 1);
    run(longer * (rows + 1), tiles - longer, rows);
  }
  return column;
}

}  // namespace
}  // namespace ert::kernels
