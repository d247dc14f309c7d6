// The tiles of the int8 GEMMs of all NEON levels: integer sums of the level, then the fp32 epilogue of W8A8 or W8A16. The level gives
//   Sums::run<kRows, kQuads>(acc, lhs, row_bytes, rhs, panel_bytes, k4)
// acc[r][q] = columns 4q .. 4q + 3 of row r, sums over k4 (a multiple of 4) bytes of lhs. rhs points at the first line wanted;
// quads 4, 5, ... are in the panels that follow. Internal linkage.
#pragma once

#include "kernels_int8/loops/gemm_driver.h"
#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) const int8_t* bytes(const uint8_t* p) {
  return static_cast<const int8_t*>(static_cast<const void*>(p));
}

// W8A8: rows hold q - 128.
struct Rows8 {
  template <class Sums, int kRows, int kQuads>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32x4_t acc[kRows][kQuads];
    Sums::template run<kRows, kQuads>(acc, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k);
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
};

// W8A16: the same weights times the high digits and the low ones, which are half a row behind.
struct Rows16 {
  template <class Sums, int kRows, int kQuads>
  static __attribute__((noinline)) void tile(const TileArgs& t) {
    int32x4_t hi[kRows][kQuads], lo[kRows][kQuads];
    Sums::template run<kRows, kQuads>(hi, bytes(t.lhs), t.row_bytes, t.rhs, t.panel_bytes, t.k);
    Sums::template run<kRows, kQuads>(lo, bytes(t.lhs) + t.row_bytes / 2, t.row_bytes, t.rhs, t.panel_bytes, t.k);
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
};

}  // namespace
}  // namespace ert::kernels
