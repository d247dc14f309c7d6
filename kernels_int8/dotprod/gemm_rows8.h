// W8A8 with sdot, three rows and more times whole panels. Vector pipelines are what such a GEMM waits for, so a tile has as few operations beside its products as it can: sums start at
// what the zero points take off, they become fp32 by a subtraction where they are small, and all blocks of so many rows are one call, which saves registers once. Internal linkage.
// What zero points take off is the same for all rows behind a ReLU, whose zero points are 0; else it takes one operation in fp32 where that is exact, or two.
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
  const float* offsets;    // kFloat: 128 - zero point of each row
  alignas(16) int32_t start[16];   // kSame: where sums start; kInteger: 128 times the sum of each column, because rows hold q - 128. kSmall: on top of the bits of kRoundMagic
  alignas(16) float colsum[16];    // kFloat
};

// How a block comes to where its sums start.
enum class Starts { kSame, kFloat, kInteger };
// Sums of columns times at most 128 that are exact in fp32 beside kRoundMagic.
constexpr int32_t kMostFloatColsum = kMostMagicSum / 128;
constexpr size_t kMostOffsets = 128;  // rows of a call

struct SdotRows8 {
  // kSmall: no sum is larger than kMostMagicSum.
  template <bool kSmall, Starts kStarts, int kRows>
  static __attribute__((noinline)) void tile(const PanelArgs& panel) {
    TileArgs t = panel.first;
    const float* offsets = panel.offsets;
    for (size_t i = 0; i < panel.blocks; ++i) {
      block<kSmall, kStarts, kRows>(t, panel, offsets);
      t.lhs += kRows * t.row_bytes;
      t.rows += kRows;
      t.dst += kRows * t.dst_stride;
      offsets += kRows;
    }
  }

  template <Starts kStarts, int kRows>
  static inline __attribute__((always_inline)) void start(int32x4_t (&acc)[kRows][4], const TileArgs& t, const PanelArgs& panel, const float* offsets) {
    const int32_t* from = panel.start;
    // Loaded for each row: load pipelines are free here, and the compiler would copy registers.
    const auto loaded = [&](int q) __attribute__((always_inline)) {
      if (q == 0) __asm__ volatile("" : "+r"(from));
      return vld1q_s32(from + 4 * q);
    };
    if constexpr (kStarts == Starts::kSame) {
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) acc[r][q] = loaded(q);
      }
    } else if constexpr (kStarts == Starts::kFloat) {
      float32x4_t colsum[4];
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) colsum[q] = vld1q_f32(panel.colsum + 4 * q);
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r) {
        const float32x2_t offset = vld1_dup_f32(offsets + r);
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) acc[r][q] = vreinterpretq_s32_f32(vfmaq_lane_f32(vreinterpretq_f32_s32(loaded(q)), colsum[q], offset, 0));
      }
    } else {
      const uint8_t* rows = static_cast<const uint8_t*>(static_cast<const void*>(t.rows));
      int32x2_t row[kRows];  // scale, zero point
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r) row[r] = vreinterpret_s32_u8(vld1_u8(rows + sizeof(RowScale) * static_cast<size_t>(r)));
      int32x4_t colsum[4];
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) colsum[q] = vld1q_s32(t.colsum + 4 * q);
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) acc[r][q] = vmlsq_lane_s32(loaded(q), colsum[q], row[r], 1);
      }
    }
  }

  template <bool kSmall, Starts kStarts, int kRows>
  static inline __attribute__((always_inline)) void block(const TileArgs& t, const PanelArgs& panel, const float* offsets) {
    int32x4_t acc[kRows][4];
    start<kStarts>(acc, t, panel, offsets);
    DotSums::add<kRows, 4>(acc, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k);
    const uint8_t* scales = static_cast<const uint8_t*>(static_cast<const void*>(t.rows));
    __asm__("" : "+r"(scales));  // loaded here: the loop needs the registers
    float32x2_t scale[kRows];
#pragma GCC unroll 5
    for (int r = 0; r < kRows; ++r) scale[r] = vreinterpret_f32_u8(vld1_u8(scales + sizeof(RowScale) * static_cast<size_t>(r)));
    const auto value = [](int32x4_t sum) __attribute__((always_inline)) { return kSmall ? value_of(sum) : vcvtq_f32_s32(sum); };
#pragma GCC unroll 2
    for (int q = 0; q < 4; q += 2) {
      const float32x4_t left = vld1q_f32(t.scale + 4 * q), right = vld1q_f32(t.scale + 4 * q + 4);
      const float32x4_t left_bias = vld1q_f32(t.bias + 4 * q), right_bias = vld1q_f32(t.bias + 4 * q + 4);
      float32x4_t y[kRows][2];
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r) {
        y[r][0] = vaddq_f32(vmulq_f32(value(acc[r][q]), vmulq_lane_f32(left, scale[r], 0)), left_bias);
        y[r][1] = vaddq_f32(vmulq_f32(value(acc[r][q + 1]), vmulq_lane_f32(right, scale[r], 0)), right_bias);
      }
      clamp_all(t.clamp, y);
      float* dst = t.dst + 4 * q;
#pragma GCC unroll 5
      for (int r = 0; r < kRows; ++r, dst += t.dst_stride) store_pair(dst, y[r][0], y[r][1]);
    }
  }
};

// Whether no sum can be larger than kMostMagicSum: where rows are long, the distances of each from its zero point, times 127, add up to no more. That takes two operations for
// 16 values, where they save one for four outputs.
inline bool has_small_sums(const GemmArgs& g) {
  if (g.k <= kMostMagicSum / (255 * 127)) return true;
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

inline bool same_zero_points(const GemmArgs& g) {
  int32_t differences = 0;
  for (size_t r = 1; r < g.m; ++r) differences |= g.scales[r].zero_point ^ g.scales[0].zero_point;
  return differences == 0;
}

// Sets where the sums of a panel start, if they may start like that.
inline bool set_starts(Starts starts, int32_t zero_point, bool small, const int32_t* colsum, PanelArgs* p) {
  const int32x4_t zero = small ? vreinterpretq_s32_f32(vdupq_n_f32(kRoundMagic)) : vdupq_n_s32(0);
  const int32x4_t times = vdupq_n_s32(starts == Starts::kSame ? 128 - zero_point : 128);
  int32x4_t most = vdupq_n_s32(0);
  for (int q = 0; q < 4; ++q) {
    const int32x4_t sum = vld1q_s32(colsum + 4 * q);
    if (starts == Starts::kFloat) {
      most = vmaxq_s32(most, vabsq_s32(sum));
      vst1q_f32(p->colsum + 4 * q, vcvtq_f32_s32(sum));
      vst1q_s32(p->start + 4 * q, zero);
    } else {
      vst1q_s32(p->start + 4 * q, vmlaq_s32(zero, sum, times));
    }
  }
  return vmaxvq_s32(most) <= kMostFloatColsum;
}

// Whole panels, of three rows and more: blocks of at most five rows are never of fewer. Returns the first column not done.
template <bool kSmall>
size_t gemm_columns8(const GemmArgs& g) {
  using Tile = void (*)(const PanelArgs&);
  using R = SdotRows8;
  static constexpr Tile kTiles[][3] = {{R::tile<kSmall, Starts::kSame, 3>, R::tile<kSmall, Starts::kSame, 4>, R::tile<kSmall, Starts::kSame, 5>},
                                {R::tile<kSmall, Starts::kFloat, 3>, R::tile<kSmall, Starts::kFloat, 4>, R::tile<kSmall, Starts::kFloat, 5>},
                                {R::tile<kSmall, Starts::kInteger, 3>, R::tile<kSmall, Starts::kInteger, 4>, R::tile<kSmall, Starts::kInteger, 5>}};
  const size_t k = round_up(g.k, 4), blocks = (g.m + 4) / 5, rows = g.m / blocks;
  const size_t longer = g.m - rows * blocks;  // of rows + 1
  const Starts of_rows = same_zero_points(g) ? Starts::kSame : kSmall && g.m <= kMostOffsets ? Starts::kFloat : Starts::kInteger;
  float offsets[kMostOffsets];
  if (of_rows == Starts::kFloat)
    for (size_t r = 0; r < g.m; ++r) offsets[r] = static_cast<float>(128 - g.scales[r].zero_point);
  PanelArgs p = {{k, nullptr, g.row_bytes, nullptr, nullptr, 16 * k, nullptr, nullptr, nullptr, nullptr, g.dst_stride}, 0, nullptr, {}, {}};
  p.first.clamp = g.clamp;
  ColumnGroup<16> group;
  size_t column = 0;
  for (; column + 16 <= g.n; column += 16) {
    group.select(g.w, column, 16);
    p.first.scale = group.scale;
    p.first.colsum = group.colsum;
    p.first.bias = group.bias;
    p.first.rhs = g.w.data + column * k;
    Starts starts = of_rows;
    if (!set_starts(starts, g.scales[0].zero_point, kSmall, group.colsum, &p)) {
      starts = Starts::kInteger;
      set_starts(starts, 0, kSmall, group.colsum, &p);
    }
    const auto run = [&](size_t row, size_t count, size_t in_block) __attribute__((always_inline)) {
      p.first.lhs = static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes;
      p.first.rows = g.scales + row;
      p.first.dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride + column;
      p.offsets = offsets + row;
      p.blocks = count;
      kTiles[static_cast<size_t>(starts)][in_block - 3](p);
    };
    if (longer > 0) run(0, longer, rows + 1);
    run(longer * (rows + 1), blocks - longer, rows);
  }
  return column;
}

}  // namespace
}  // namespace ert::kernels
