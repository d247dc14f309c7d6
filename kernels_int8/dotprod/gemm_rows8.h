// W8A8 with sdot, three rows and more times whole panels. Vector pipelines are what such a GEMM waits for, so a tile has as few operations beside its products as it can: sums start at
// what the zero points take off, they become fp32 by a subtraction where they are small, and all blocks of so many rows are one call, which saves registers once. Internal linkage.
#pragma once

#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/neon/gemm_rows.h"
#include "kernels_int8/neon/magic_sums.h"

namespace ert::kernels {
namespace {

// Blocks of rows of one panel, one behind the other.
struct PanelArgs {
  TileArgs first;
  size_t blocks;
  int32_t start[16];  // 128 times the sum of each column, because rows hold q - 128; kSmall: on top of the bits of kRoundMagic
};

struct SdotRows8 {
  // kSmall: no sum is larger than kMostMagicSum.
  template <bool kSmall, int kRows, int kQuads>
  static __attribute__((noinline)) void tile(const PanelArgs& panel) {
    TileArgs t = panel.first;
    for (size_t i = 0; i < panel.blocks; ++i) {
      block<kSmall, kRows, kQuads>(t, panel.start);
      t.lhs += kRows * t.row_bytes;
      t.rows += kRows;
      t.dst += kRows * t.dst_stride;
    }
  }

  template <bool kSmall, int kRows, int kQuads>
  static inline __attribute__((always_inline)) void block(const TileArgs& t, const int32_t* start) {
    int32x4_t acc[kRows][kQuads];
    const uint8_t* scales = static_cast<const uint8_t*>(static_cast<const void*>(t.rows));
    int32x2_t row[kRows];  // scale, zero point
#pragma GCC unroll 5
    for (int r = 0; r < kRows; ++r) row[r] = vreinterpret_s32_u8(vld1_u8(scales + sizeof(RowScale) * static_cast<size_t>(r)));
    int32x4_t colsum[kQuads];
#pragma GCC unroll 4
    for (int q = 0; q < kQuads; ++q) colsum[q] = vld1q_s32(t.colsum + 4 * q);
#pragma GCC unroll 5
    for (int r = 0; r < kRows; ++r) {
      __asm__ volatile("" : "+r"(start));  // loaded for each row: load pipelines are free here, and the compiler would copy registers
#pragma GCC unroll 4
      for (int q = 0; q < kQuads; ++q) acc[r][q] = vmlsq_lane_s32(vld1q_s32(start + 4 * q), colsum[q], row[r], 1);
    }
    DotSums::add<kRows, kQuads>(acc, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k);
    __asm__("" : "+r"(scales));  // loaded again: the loop needs the registers
    float32x2_t scale[kRows];
#pragma GCC unroll 5
    for (int r = 0; r < kRows; ++r) scale[r] = vreinterpret_f32_u8(vld1_u8(scales + sizeof(RowScale) * static_cast<size_t>(r)));
    const auto value = [](int32x4_t sum) __attribute__((always_inline)) { return kSmall ? value_of(sum) : vcvtq_f32_s32(sum); };
#pragma GCC unroll 2
    for (int q = 0; q < kQuads; q += 2) {
      const float32x4_t left = vld1q_f32(t.scale + 4 * q), right = vld1q_f32(t.scale + 4 * q + 4);
      const float32x4_t left_bias = vld1q_f32(t.bias + 4 * q), right_bias = vld1q_f32(t.bias + 4 * q + 4);
      float* dst = t.dst + 4 * q;
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r, dst += t.dst_stride) {
        const float32x4_t y = vmulq_f32(value(acc[r][q]), vmulq_lane_f32(left, scale[r], 0));
        const float32x4_t z = vmulq_f32(value(acc[r][q + 1]), vmulq_lane_f32(right, scale[r], 0));
        store_pair(dst, vaddq_f32(y, left_bias), vaddq_f32(z, right_bias));
      }
    }
  }
};

// Whether the distances of each row from its zero point, times 127, add up to no more than kMostMagicSum. Two operations for 16 values, where they save one for four
// outputs.
inline bool has_small_sums(const GemmArgs& g) {
  if (g.k % 32 != 0 || g.n < g.k) return false;
  const int8_t* row = bytes(static_cast<const uint8_t*>(g.lhs));
  for (size_t r = 0; r < g.m; ++r, row += g.row_bytes) {
    const int8x16_t zero_point = vdupq_n_s8(static_cast<int8_t>(g.scales[r].zero_point - 128));
    const uint8x16_t one = vdupq_n_u8(1);
    uint32x4_t left = vdupq_n_u32(0), right = left;
    for (size_t i = 0; i < g.k; i += 32) {
      left = vdotq_u32(left, vreinterpretq_u8_s8(vabdq_s8(vld1q_s8(row + i), zero_point)), one);
      right = vdotq_u32(right, vreinterpretq_u8_s8(vabdq_s8(vld1q_s8(row + i + 16), zero_point)), one);
    }
    if (vaddvq_u32(vaddq_u32(left, right)) > kMostMagicSum / 127) return false;
  }
  return true;
}

// Whole panels, of three rows and more: blocks of at most five rows are never of fewer. Returns the first column not done.
template <bool kSmall>
size_t gemm_columns8(const GemmArgs& g) {
  using Tile = void (*)(const PanelArgs&);
  constexpr Tile kTiles[] = {SdotRows8::tile<kSmall, 3, 4>, SdotRows8::tile<kSmall, 4, 4>, SdotRows8::tile<kSmall, 5, 4>};
  const size_t k = round_up(g.k, 4), blocks = (g.m + 4) / 5, rows = g.m / blocks;
  const size_t longer = g.m - rows * blocks;  // of rows + 1
  PanelArgs p = {{k, nullptr, g.row_bytes, nullptr, nullptr, 16 * k, nullptr, nullptr, nullptr, nullptr, g.dst_stride}, 0, {}};
  ColumnGroup<16> group;
  const int32x4_t zero = kSmall ? vreinterpretq_s32_f32(vdupq_n_f32(kRoundMagic)) : vdupq_n_s32(0);
  size_t column = 0;
  for (; column + 16 <= g.n; column += 16) {
    group.select(g.w, column, 16);
    p.first.scale = group.scale;
    p.first.colsum = group.colsum;
    p.first.bias = group.bias;
    p.first.rhs = g.w.data + column * k;
    for (int q = 0; q < 4; ++q) vst1q_s32(p.start + 4 * q, vaddq_s32(vshlq_n_s32(vld1q_s32(group.colsum + 4 * q), 7), zero));
    const auto run = [&](size_t row, size_t count, size_t of_rows) __attribute__((always_inline)) {
      p.first.lhs = static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes;
      p.first.rows = g.scales + row;
      p.first.dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
      p.blocks = count;
      kTiles[of_rows - 3](p);
    };
    if (longer > 0) run(0, longer, rows + 1);
    run(longer * (rows + 1), blocks - longer, rows);
  }
  return column;
}

}  // namespace
}  // namespace ert::kernels
