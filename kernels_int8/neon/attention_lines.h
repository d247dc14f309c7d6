// Keys of int8 attention as N16K4, in panels of 16 keys: the first product is the level's GEMM loop, Sums::run<kRows, kQuads> of neon/gemm_rows.h.
// Internal linkage.
#pragma once

#include "kernels_int8/neon/attention_rows.h"

namespace ert::kernels {
namespace {

// Sixteen columns of kRows rows. Rows beyond the last query hold bytes of no meaning; their sums are not looked at.
template <class Sums, int kRows, int kQuads>
__attribute__((noinline)) void sums16(int32_t (&out)[kRows][16], const int8_t* lhs, size_t row_bytes, const int8_t* panel,
                                      size_t k4, const LineBlocks* blocks) {
  for (int q = 0; q < 4; q += kQuads) {
    int32x4_t acc[kRows][kQuads];
    Sums::template run<kRows, kQuads>(acc, lhs, row_bytes, panel + 16 * q, 0, k4, blocks);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int i = 0; i < kQuads; ++i) vst1q_s32(out[r] + 4 * (q + i), acc[r][i]);
    }
  }
}

ERT_LANES Lanes to_lanes(const int32_t* p) {
  return {vcvtq_f32_s32(vld1q_s32(p)), vcvtq_f32_s32(vld1q_s32(p + 4)), vcvtq_f32_s32(vld1q_s32(p + 8)),
          vcvtq_f32_s32(vld1q_s32(p + 12))};
}

template <class Sums, int kQuads>
struct LineKeys {
  static constexpr size_t kDepth = 4;

  static inline void store_key(const AttentionWork& w, size_t key, size_t i, size_t n, int8x16_t q) {
    int8_t values[16];
    vst1q_s8(values, q);
    int8_t* column = w.keys + key / 16 * 16 * w.key_bytes + 4 * (key % 16) + 16 * i;
    for (size_t g = 0; g < 16 && i + g < n; g += 4) memcpy(column + 16 * g, values + g, 4);
  }
  static inline void store_query(const AttentionWork& w, size_t row, size_t i, int8x16_t q) {
    vst1q_s8(w.queries + row * w.head16 + i, q);
  }

  template <int kRows>
  static void score(size_t rows, const AttentionWork& w) {
    for (size_t key = 0; key < w.keys16; key += 16) {
      const Lanes key_scale = load(w.key_scale + key);
      for (size_t row = 0; row < rows; row += kRows) {
        int32_t sums[kRows][16];
        sums16<Sums, kRows, kQuads>(sums, w.queries + row * w.head16, w.head16, w.keys + key * w.key_bytes, w.key_bytes,
                                    w.key_blocks);
        for (size_t r = 0; r < kRows && row + r < rows; ++r) {
          const Lanes scale = broadcast(w.row_scale[row + r]) * key_scale;
          store(w.scores + (row + r) * w.keys16 + key, to_lanes(sums[r]) * scale);
        }
      }
    }
  }
};

}  // namespace
}  // namespace ert::kernels
