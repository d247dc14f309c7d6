// What the int8 GEMMs of all NEON levels share: columns outermost, rows inner, the fp32 epilogue. The level gives the integer
// part:
//   Sums::run<kRows, kQuads>(acc, lhs, row_bytes, rhs, panel_bytes, k4)
// acc[r][q] = columns 4q .. 4q + 3 of row r, sums over k4 (a multiple of 4) bytes of lhs. rhs points at the first line wanted;
// quads 4, 5, ... are in the panels that follow. Internal linkage.
#pragma once

#include <string.h>

#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {
namespace {

// Epilogue parameters of one group of columns. A group that is cut by n gets padded copies, so that tiles need no masks.
template <int kColumns>
struct ColumnGroup {
  const float* scale;
  const int32_t* colsum;
  const float* bias;
  alignas(16) float scale_copy[kColumns];
  alignas(16) int32_t colsum_copy[kColumns];
  alignas(16) float bias_copy[kColumns];

  void select(const PackedWeights& w, size_t column, size_t columns) {
    scale = w.scale + column;
    colsum = w.colsum + column;
    bias = w.bias != nullptr ? w.bias + column : bias_copy;
    if (w.bias == nullptr) {
      for (int c = 0; c < kColumns; ++c) bias_copy[c] = -0.0f;  // x + -0 is x for every x
    }
    if (columns == kColumns) return;
    for (size_t c = 0; c < kColumns; ++c) {
      scale_copy[c] = c < columns ? scale[c] : 0.0f;
      colsum_copy[c] = c < columns ? colsum[c] : 0;
      bias_copy[c] = c < columns && w.bias != nullptr ? bias[c] : -0.0f;
    }
    scale = scale_copy;
    colsum = colsum_copy;
    bias = bias_copy;
  }
};

struct TileArgs {
  size_t k4;
  const int8_t* lhs;
  size_t row_bytes, digit_bytes;
  const RowScale* rows;
  const int8_t* rhs;
  size_t panel_bytes;
  const float* scale;
  const int32_t* colsum;
  const float* bias;
  float* dst;
  ptrdiff_t dst_stride;
};

// W8A8: rows hold q - 128.
template <class Sums, int kRows, int kQuads>
__attribute__((noinline)) void tile8(const TileArgs& t) {
  int32x4_t acc[kRows][kQuads];
  Sums::template run<kRows, kQuads>(acc, t.lhs, t.row_bytes, t.rhs, t.panel_bytes, t.k4);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, dst += t.dst_stride) {
    const float32x4_t row_scale = vdupq_n_f32(t.rows[r].scale);
    const int32x4_t shift = vdupq_n_s32(t.rows[r].zero_point - 128);
#pragma GCC unroll 16
    for (int q = 0; q < kQuads; ++q) {
      const int32x4_t sum = vmlsq_s32(acc[r][q], vld1q_s32(t.colsum + 4 * q), shift);
      const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), vmulq_f32(row_scale, vld1q_f32(t.scale + 4 * q)));
      vst1q_f32(dst + 4 * q, vaddq_f32(scaled, vld1q_f32(t.bias + 4 * q)));
    }
  }
}

// W8A16: the same weights times the high and the low digits.
template <class Sums, int kRows, int kQuads>
__attribute__((noinline)) void tile16(const TileArgs& t) {
  int32x4_t hi[kRows][kQuads], lo[kRows][kQuads];
  Sums::template run<kRows, kQuads>(hi, t.lhs, t.row_bytes, t.rhs, t.panel_bytes, t.k4);
  Sums::template run<kRows, kQuads>(lo, t.lhs + t.digit_bytes, t.row_bytes, t.rhs, t.panel_bytes, t.k4);
  float* dst = t.dst;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, dst += t.dst_stride) {
    const float32x4_t row_scale = vdupq_n_f32(t.rows[r].scale);
#pragma GCC unroll 16
    for (int q = 0; q < kQuads; ++q) {
      const float32x4_t high = vmulq_f32(vcvtq_f32_s32(hi[r][q]), vdupq_n_f32(128.0f));
      const float32x4_t sum = vaddq_f32(high, vcvtq_f32_s32(lo[r][q]));
      const float32x4_t scaled = vmulq_f32(sum, vmulq_f32(row_scale, vld1q_f32(t.scale + 4 * q)));
      vst1q_f32(dst + 4 * q, vaddq_f32(scaled, vld1q_f32(t.bias + 4 * q)));
    }
  }
}

using TileFn = void (*)(const TileArgs&);

// Entry r - 1 of `tiles` does r rows of 4 * kQuads columns. Rows are split evenly: 9 rows are 5 + 4, not 6 + 3. A cut group of
// columns goes through a buffer, because tiles store whole groups.
template <int kQuads, size_t kMaxRows>
void gemm_columns(const TileFn (&tiles)[kMaxRows], size_t m, size_t n, size_t k, const void* lhs, size_t row_bytes,
                  const RowScale* scales, const PackedWeights& w, float* dst, ptrdiff_t dst_stride) {
  constexpr size_t kColumns = 4 * kQuads;
  const size_t k4 = round_up(k, 4);
  for (size_t column = 0; column < n; column += kColumns) {
    const size_t columns = n - column < kColumns ? n - column : kColumns;
    ColumnGroup<kColumns> group;
    group.select(w, column, columns);
    TileArgs t = {k4,      nullptr,     row_bytes,    digit_bytes(k), nullptr, w.data + column / 16 * 16 * k4 + column % 16 * 4,
                  16 * k4, group.scale, group.colsum, group.bias,     nullptr, dst_stride};
    size_t blocks = (m + kMaxRows - 1) / kMaxRows;
    for (size_t row = 0; row < m; --blocks) {
      const size_t rows = (m - row + blocks - 1) / blocks;
      t.lhs = static_cast<const int8_t*>(lhs) + row * row_bytes;
      t.rows = scales + row;
      t.dst = dst + static_cast<ptrdiff_t>(row) * dst_stride + column;
      if (columns == kColumns) {
        tiles[rows - 1](t);
      } else {
        float buffer[kMaxRows * kColumns];
        float* out = t.dst;
        t.dst = buffer;
        t.dst_stride = kColumns;
        tiles[rows - 1](t);
        t.dst_stride = dst_stride;
        for (size_t r = 0; r < rows; ++r)
          memcpy(out + static_cast<ptrdiff_t>(r) * dst_stride, buffer + r * kColumns, columns * sizeof(float));
      }
      row += rows;
    }
  }
}

}  // namespace
}  // namespace ert::kernels
