// Values of int8 attention where bytes are multiplied: V as N16K4 with the keys as its k, P as the two digits of W8A16. Sums are those of the level's
// GEMM. Internal linkage.
#pragma once

#include "kernels_int8/neon/attention_lines.h"

namespace ert::kernels {
namespace {

// P: [2][kBlockRows][keys16], high digits first.
template <class Sums, int kQuads>
struct DigitValues {
  static constexpr size_t kBytes = 1;

  static inline void pack(const AttentionArgs& a, const AttentionWork& w) {
    const size_t n = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k);
    for (size_t j = 0; j < keys; j += 4) {
      const float* src[4];
      float inv[4];
      for (size_t r = 0; r < 4; ++r) {  // keys beyond the end repeat the last one: their P is zero
        const size_t key = j + r < keys ? j + r : keys - 1;
        src[r] = a.v + static_cast<ptrdiff_t>(key) * a.v_stride;
        w.value_scale[j + r] = scale_of_values(scale_of(n, src[r], &inv[r]), &w.key_scale[j + r]);
      }
      for (size_t i = 0; i < n; i += 16) {
        const int8x16x4_t line = {{bytes_of(quantized(n, src[0], i, inv[0])), bytes_of(quantized(n, src[1], i, inv[1])),
                                   bytes_of(quantized(n, src[2], i, inv[2])), bytes_of(quantized(n, src[3], i, inv[3]))}};
        vst4q_s8(w.values + i * w.keys16 + 16 * j, line);
      }
    }
    for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
  }

  static ERT_LANES void store_weights(const AttentionWork& w, size_t row, size_t key, Integers p) {
    const Digits d = digits_of(p);
    vst1q_s8(w.p + row * w.keys16 + key, d.hi);
    vst1q_s8(w.p + (kBlockRows + row) * w.keys16 + key, d.lo);
  }

  template <int kRows>
  static inline void add(const AttentionWork& w, size_t first, size_t keys, size_t row, size_t column, float (&out)[kRows][16]) {
    const size_t k4 = round_up(keys, 4);
    const int8_t* panel = w.values + column * w.keys16 + 16 * first;
    const int8_t* p = w.p + row * w.keys16 + first;
    int32_t hi[kRows][16], lo[kRows][16];
    sums16<Sums, kRows, kQuads>(hi, p, w.keys16, panel, k4, nullptr);
    sums16<Sums, kRows, kQuads>(lo, p + kBlockRows * w.keys16, w.keys16, panel, k4, nullptr);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < 16; c += 4) {
        const int32x4_t sum = vaddq_s32(vshlq_n_s32(vld1q_s32(hi[r] + c), 7), vld1q_s32(lo[r] + c));
        vst1q_f32(out[r] + c, vaddq_f32(vld1q_f32(out[r] + c), vcvtq_f32_s32(sum)));
      }
    }
  }
};

}  // namespace
}  // namespace ert::kernels
