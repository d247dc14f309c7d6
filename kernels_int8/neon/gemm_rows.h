// The tiles of the int8 GEMMs of all NEON levels: integer sums of the level, then the fp32 epilogue of W8A8 or W8A16. The level gives
//   Sums::run<kRows, kQuads>(acc, lhs, row_bytes, rhs, panel_bytes, k4, blocks)
// acc[r][q] = columns 4q .. 4q + 3 of row r, sums over k4 (a multiple of 4) bytes of lhs. rhs points at the first line wanted;
// quads 4, 5, ... are in the panels that follow; blocks: TileArgs. Internal linkage.
#pragma once

#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) const int8_t* bytes(const uint8_t* p) {
  return static_cast<const int8_t*>(static_cast<const void*>(p));
}

// The larger of +0 and -0 is +0, and NaN is the larger and the smaller one.
template <int kRows, int kQuads>
inline __attribute__((always_inline)) void clamp_all(Clamp clamp, float32x4_t (&y)[kRows][kQuads]) {
  if (clamp == Clamp::kNone) return;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < kQuads; ++q) y[r][q] = vmaxq_f32(y[r][q], vdupq_n_f32(0.0f));
  }
  if (clamp == Clamp::kRelu) return;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < kQuads; ++q) y[r][q] = vminq_f32(y[r][q], vdupq_n_f32(6.0f));
  }
}

// The floats that a tile writes, two quads of all rows in step. What is read comes before what is written: the compiler takes dst for anything.
template <int kRows, int kQuads, class Row, class Scaled>
inline __attribute__((always_inline)) void store_tile(const TileArgs& t, const Row& row_of, const Scaled& scaled) {
  constexpr int kInStepQuads = kQuads % 2 == 0 ? 2 : 1;
  const float *scale = t.scale, *bias = t.bias;
  const int32_t* colsum = t.colsum;
  float* const dst = t.dst;
  const ptrdiff_t stride = t.dst_stride;
  const Clamp clamp = t.clamp;
  decltype(row_of(0)) row[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) row[r] = row_of(r);
#pragma GCC unroll 16
  for (int q0 = 0; q0 < kQuads; q0 += kInStepQuads) {
    float32x4_t y[kRows][kInStepQuads];
#pragma GCC unroll 2
    for (int q = 0; q < kInStepQuads; ++q) {
      const float32x4_t s = vld1q_f32(scale + 4 * (q0 + q)), b = vld1q_f32(bias + 4 * (q0 + q));
      const int32x4_t c = vld1q_s32(colsum + 4 * (q0 + q));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) y[r][q] = vaddq_f32(scaled(r, q0 + q, row[r], s, c), b);
    }
    clamp_all(clamp, y);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int q = 0; q < kInStepQuads; ++q) vst1q_f32(dst + r * stride + 4 * (q0 + q), y[r][q]);
    }
  }
}

// W8A8: rows hold q - 128.
struct Rows8 {
  // Scale and zero point - 128, whose subtraction leaves the scale's bits alone.
  static inline __attribute__((always_inline)) int32x2_t row(const RowScale* rows, int r) {
    const uint8x8_t bits = vld1_u8(static_cast<const uint8_t*>(static_cast<const void*>(rows + r)));
    return vsub_s32(vreinterpret_s32_u8(bits), vcreate_s32(uint64_t{128} << 32));
  }
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void store(const TileArgs& t, const int32x4_t (&acc)[kRows][kQuads]) {
    store_tile<kRows, kQuads>(
        t, [&](int r) __attribute__((always_inline)) { return row(t.rows, r); },
        [&](int r, int q, int32x2_t row, float32x4_t scale, int32x4_t colsum) __attribute__((always_inline)) {
          const int32x4_t sum = vmlsq_lane_s32(acc[r][q], colsum, row, 1);
          return vmulq_f32(vcvtq_f32_s32(sum), vmulq_lane_f32(scale, vreinterpret_f32_s32(row), 0));
        });
  }
  template <class Sums, int kRows, int kQuads>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32x4_t acc[kRows][kQuads];
    Sums::template run<kRows, kQuads>(acc, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k, t.blocks);
    store<kRows, kQuads>(t, acc);
  }
};

// W8A16: the same weights times the high digits and the low ones, which are half a row behind.
struct Rows16 {
  template <class Sums, int kRows, int kQuads>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32x4_t hi[kRows][kQuads], lo[kRows][kQuads];
    Sums::template run<kRows, kQuads>(hi, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k, t.blocks);
    Sums::template run<kRows, kQuads>(lo, bytes(t.lhs) + t.row_bytes / 2, t.row_bytes, t.rhs, t.panel_bytes, t.k, t.blocks);
    store_tile<kRows, kQuads>(
        t, [&](int r) __attribute__((always_inline)) { return vld1_dup_f32(&t.rows[r].scale); },
        [&](int r, int q, float32x2_t row_scale, float32x4_t scale, int32x4_t) __attribute__((always_inline)) {
          const float32x4_t high = vmulq_f32(vcvtq_f32_s32(hi[r][q]), vdupq_n_f32(128.0f));
          return vmulq_f32(vaddq_f32(high, vcvtq_f32_s32(lo[r][q])), vmulq_lane_f32(scale, row_scale, 0));
        });
  }
};

}  // namespace
}  // namespace ert::kernels
