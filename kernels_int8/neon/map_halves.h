// Convolution over 8-bit maps for AArch64, half a panel (8 filters) at a time: rows of the map that are not signed bytes are turned to such once for all filters and outputs,
// and a tile's fp32 sums stay in registers beside its integer ones. The level gives
//   Sums::run<kOutputs>(acc, lhs, step, rhs, k4, start, blocks)   acc[r][q] = start[4q ..] + columns 4q .. 4q + 3 of output r, in the form of Sums::kStart
//   Sums::kStart                                                  what starts are raised by
//   float32x4_t Sums::to_floats(int32x4_t)                        of a sum with it
//   Sums::kOutputsAtOnce                                          2: acc[r][0], acc[r][1], acc[r + 1][0], acc[r + 1][1] have columns 0 and 1, 2 and 3, .. of outputs r and r + 1, for even r,
//                                                                 starts come in that form, and tiles have an even number of outputs, but for the last of an odd number
//   Sums::kFirstRowApart                                          the kernel's first row in code of its own: no moves, but more registers for addresses
// lhs is readable up to the next 16 bytes, whatever they are. Internal linkage.
#pragma once

#include <utility>

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/loops/filters16.h"
#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/line_blocks.h"

namespace ert::kernels {
namespace {

struct MapHalf {
  const MapConvArgs* a;
  const int8_t* const* lines;  // signed bytes of the rows
  size_t at;                   // bytes from there to the first output
  size_t tiles;                // one behind the other
  size_t k, matrix;            // values of a patch rounded up; bytes between the weights of two rows of the kernel
  const int8_t* weights;       // of the first row
  const int32_t* starts;       // int32 [rows, 16 * kOutputsAtOnce]: where sums begin, so that they come out without the zero point
  const LineBlocks* blocks;    // [rows]; what the level prepared
  const float *scale, *bias;   // float [8]
  float* dst;                  // 8 columns are written
  ptrdiff_t dst_stride;
};
using MapHalfFn = void (*)(const MapHalf&);

// From pairs of columns of two outputs to one output after the other.
template <int kOutputs>
inline __attribute__((always_inline)) void part_outputs(float32x4_t (&t)[kOutputs][2]) {
#pragma GCC unroll 8
  for (int r = 0; r + 1 < kOutputs; r += 2) {
    float64x2_t pairs[4];
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) pairs[c] = vreinterpretq_f64_f32(t[r + c / 2][c % 2]);
#pragma GCC unroll 2
    for (int q = 0; q < 2; ++q) {
      t[r][q] = vreinterpretq_f32_f64(vzip1q_f64(pairs[2 * q], pairs[2 * q + 1]));
      t[r + 1][q] = vreinterpretq_f32_f64(vzip2q_f64(pairs[2 * q], pairs[2 * q + 1]));
    }
  }
}

template <class Sums, int kOutputs>
inline __attribute__((always_inline)) void map_half_tile(const MapHalf& m, size_t at, float* dst) {
  constexpr size_t kUnit = Sums::kOutputsAtOnce;
  constexpr int kHeld = kOutputs + kOutputs % static_cast<int>(kUnit);
  const MapConvArgs& a = *m.a;
  const int8_t* weights = m.weights;
  // Of one row of the kernel, times its scale.
  const auto part_of = [&](size_t i, float32x4_t (&part)[kHeld][2]) __attribute__((always_inline)) {
    int32x4_t acc[kHeld][2];
    Sums::template run<kOutputs>(acc, m.lines[i] + at, a.src_step, weights, m.k, m.starts + 16 * kUnit * i, m.blocks + i);
    const float scale = a.scales[i].scale;
#pragma GCC unroll 8
    for (int r = 0; r < kHeld; ++r) {
      part[r][0] = vmulq_n_f32(Sums::to_floats(acc[r][0]), scale);
      part[r][1] = vmulq_n_f32(Sums::to_floats(acc[r][1]), scale);
    }
  };
  float32x4_t t[kHeld][2];
  const size_t apart = Sums::kFirstRowApart && a.rows != 0 ? 1 : 0;
  if (apart != 0) {
    part_of(0, t);
  } else {
#pragma GCC unroll 8
    for (int r = 0; r < kHeld; ++r) t[r][0] = t[r][1] = vdupq_n_f32(0.0f);
  }
  weights += apart * m.matrix;
  for (size_t i = apart; i < a.rows; ++i, weights += m.matrix) {
    float32x4_t part[kHeld][2];
    part_of(i, part);
#pragma GCC unroll 8
    for (int r = 0; r < kHeld; ++r) {
      t[r][0] = !Sums::kFirstRowApart && i == 0 ? part[r][0] : vaddq_f32(t[r][0], part[r][0]);
      t[r][1] = !Sums::kFirstRowApart && i == 0 ? part[r][1] : vaddq_f32(t[r][1], part[r][1]);
    }
  }
  if constexpr (kUnit == 2) part_outputs(t);
#pragma GCC unroll 2
  for (int q = 0; q < 2; ++q) {
    const float32x4_t scale = vld1q_f32(m.scale + 4 * q), bias = vld1q_f32(m.bias + 4 * q);
#pragma GCC unroll 8
    for (int r = 0; r < kOutputs; ++r) t[r][q] = vaddq_f32(vmulq_f32(t[r][q], scale), bias);
    // The larger of +0 and -0 is +0.
    if (a.clamp != Clamp::kNone) {
#pragma GCC unroll 8
      for (int r = 0; r < kOutputs; ++r) t[r][q] = vmaxq_f32(t[r][q], vdupq_n_f32(0.0f));
    }
    if (a.clamp == Clamp::kRelu6) {
#pragma GCC unroll 8
      for (int r = 0; r < kOutputs; ++r) t[r][q] = vminq_f32(t[r][q], vdupq_n_f32(6.0f));
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) store_pair(dst + r * m.dst_stride, t[r][0], t[r][1]);
}

// Tiles in a row: registers are saved once.
template <class Sums, int kOutputs>
__attribute__((noinline)) void map_half_tiles(const MapHalf& m) {
  const size_t step = kOutputs * m.a->src_step;
  size_t at = m.at;
  float* dst = m.dst;
  for (size_t i = 0; i < m.tiles; ++i, at += step, dst += kOutputs * m.dst_stride) map_half_tile<Sums, kOutputs>(m, at, dst);
}

template <class Sums, class Sequence>
struct MapHalfTiles;
template <class Sums, int... kOutputs>
struct MapHalfTiles<Sums, std::integer_sequence<int, kOutputs...>> {
  static constexpr MapHalfFn of[] = {map_half_tiles<Sums, kOutputs + 1>...};
};

struct NoHalfPreparation {
  void operator()(MapHalf*, size_t) const {}
};

// Signed bytes of the rows of some outputs.
struct TurnedRows {
  static constexpr size_t kBytes = size_t{1} << 14, kAtOnce = 64;
  static_assert(kAtOnce <= kMapSlack, "what is read behind the last patch");

  alignas(16) int8_t bytes[kBytes + kAtOnce];
  const int8_t* lines[kMostMapRows];

  static size_t line_bytes(const MapConvArgs& a, size_t outputs) { return round_up((outputs - 1) * a.src_step + a.depth, 16); }
  // How many outputs there is room for; at most those wanted.
  static size_t fitting(const MapConvArgs& a) {
    const size_t rows = a.rows == 0 ? 1 : a.rows, line = kBytes / rows / 16 * 16;
    if (a.signed_bytes || (a.src_step == 0 && line >= round_up(a.depth, 16))) return a.outputs;
    if (line < round_up(a.depth, 16)) return 0;
    const size_t outputs = (line - round_up(a.depth, 16)) / a.src_step + 1;
    return outputs < a.outputs ? outputs : a.outputs;
  }
  void turn(const MapConvArgs& a, size_t first, size_t outputs) {
    if (a.signed_bytes) {
      for (size_t i = 0; i < a.rows; ++i) {
        const void* row = a.src[i] + first * a.src_step;
        lines[i] = static_cast<const int8_t*>(row);
      }
      return;
    }
    const size_t line = line_bytes(a, outputs);
    int8_t* to = bytes;
    for (size_t i = 0; i < a.rows; ++i, to += line) {
      const uint8_t* from = a.src[i] + first * a.src_step;
      // What is written behind a line, the next one covers.
      for (size_t j = 0; j < line; j += kAtOnce) {
        uint8x16_t q[kAtOnce / 16];
#pragma GCC unroll 4
        for (size_t v = 0; v < kAtOnce / 16; ++v) q[v] = vld1q_u8(from + j + 16 * v);
#pragma GCC unroll 4
        for (size_t v = 0; v < kAtOnce / 16; ++v) vst1q_s8(to + j + 16 * v, vreinterpretq_s8_u8(veorq_u8(q[v], vdupq_n_u8(0x80))));
      }
      lines[i] = to;
    }
  }
};

template <class Sums>
inline void map_starts(const MapConvArgs& a, const int32_t* colsum, int32_t* starts) {
  for (size_t i = 0; i < a.rows; ++i, colsum += map_columns(a.filters)) {
    const int32x4_t f = vdupq_n_s32(128 - a.scales[i].zero_point), base = vdupq_n_s32(Sums::kStart);
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q, starts += 4 * Sums::kOutputsAtOnce) {
      const int32x4_t start = vmlaq_s32(base, f, vld1q_s32(colsum + 4 * q));
      if constexpr (Sums::kOutputsAtOnce == 2) {
        vst1q_s32(starts, vcombine_s32(vget_low_s32(start), vget_low_s32(start)));
        vst1q_s32(starts + 4, vcombine_s32(vget_high_s32(start), vget_high_s32(start)));
      } else {
        vst1q_s32(starts, start);
      }
    }
  }
}

// False where the rows of kMostOutputs outputs do not fit TurnedRows, unless these are all. prepare(&half, filter): before the tiles of 8 filters; it may give others weights of the
// same sums instead, of more values up to the next 16.
template <class Sums, int kMostOutputs, class Prepare = NoHalfPreparation>
bool map_conv_halves(const MapConvArgs& a, const Prepare& prepare = {}) {
  const size_t fitting = TurnedRows::fitting(a);
  if (fitting < kMostOutputs && fitting < a.outputs) return false;
  const auto& tiles = MapHalfTiles<Sums, std::make_integer_sequence<int, kMostOutputs>>::of;
  TurnedRows turned;
  constexpr size_t kUnit = Sums::kOutputsAtOnce;
  int32_t starts[kMostMapRows * 16 * kUnit];
  MapHalf m = {};
  m.a = &a;
  m.lines = turned.lines;
  const size_t k = round_up(a.depth, 4), matrix = map_columns(a.filters) * k;
  for (size_t from = 0; from < a.outputs; from += fitting) {
    const size_t count = a.outputs - from < fitting ? a.outputs - from : fitting;
    turned.turn(a, from, count);
    for (size_t filter = 0; filter < a.filters; filter += 8) {
      const size_t columns = a.filters - filter < 8 ? a.filters - filter : 8, half = filter % 16;
      if (half == 0) map_starts<Sums>(a, a.w.colsum + filter, starts);
      FilterColumns<8> filters;
      filters.select(a.w, filter, columns);
      m.scale = filters.scale;
      m.bias = filters.bias;
      m.k = k;
      m.matrix = matrix;
      m.weights = a.w.data + (filter - half) * k + 4 * half;
      m.starts = starts + half * kUnit;
      prepare(&m, filter);
      const auto run = [&](size_t first, size_t in_tile, size_t in_a_row, float* to, ptrdiff_t stride) {
        m.at = first * a.src_step;
        m.tiles = in_a_row;
        m.dst = to;
        m.dst_stride = stride;
        tiles[in_tile - 1](m);
      };
      float* dst = a.dst + static_cast<ptrdiff_t>(from) * a.dst_stride + filter;
      if (columns < 8) {
        for_tiles<8, kMostOutputs>(count, columns, dst, a.dst_stride,
                                   [&](size_t first, size_t outputs, float* to, ptrdiff_t stride) { run(first, outputs, 1, to, stride); });
        continue;
      }
      // Of even sizes: the first `longer` tiles have a unit more.
      const size_t units = (count + kUnit - 1) / kUnit, missing = units * kUnit - count;
      const size_t all = (count + kMostOutputs - 1) / kMostOutputs, shorter = units / all, longer = units - shorter * all;
      const auto run_tiles = [&](size_t first, size_t in_tile, size_t in_a_row) {
        if (in_a_row > 0) run(first, in_tile, in_a_row, dst + static_cast<ptrdiff_t>(first) * a.dst_stride, a.dst_stride);
      };
      const size_t whole = all - longer - (missing != 0 ? 1 : 0), rest = longer * (shorter + 1) * kUnit;
      run_tiles(0, (shorter + 1) * kUnit, longer);
      run_tiles(rest, shorter * kUnit, whole);
      if (missing != 0) run_tiles(rest + whole * shorter * kUnit, shorter * kUnit - missing, 1);
    }
  }
  return true;
}

}  // namespace
}  // namespace ert::kernels
