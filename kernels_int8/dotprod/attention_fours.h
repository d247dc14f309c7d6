// int8 attention with sdot, four queries times sixteen keys, then times eight columns of V, with no sums in memory. For heads and keys of whole blocks of sixteen values that all
// queries see alike; the rest is neon/attention_rows.h. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/neon/attention_rows.h"
#include "kernels_int8/neon/four_rows.h"
// clang-format on

namespace ert::kernels {
namespace {

// Keys: four of them word by word (four bytes of each), 4 * head bytes. V: N16K4 with the keys as its k. P: of a row and sixteen keys the high digits, then the low ones.
struct FourQueries : SharedKeys {
  explicit FourQueries(const AttentionArgs& args) : SharedKeys(args, 4) {}

  void pack() {
    for (size_t j = 0; j < keys16; j += 4) {
      const float *key[4], *value[4];
      rows_at(a.k, a.k_stride, j, keys, key);
      rows_at(a.v, a.v_stride, j, keys, value);
      float32x4_t inv, value_inv;
      const float32x4_t scale = scales_of_rows(head, key, &inv);
      const float32x4_t of_values = scales_of_rows(columns, value, &value_inv);
      keep_scales(j, scale, of_values);
      for (size_t i = 0; i < head; i += 16) {
        const int32x4x4_t words = {{vreinterpretq_s32_s8(bytes_of_row<0>(key[0] + i, inv)), vreinterpretq_s32_s8(bytes_of_row<1>(key[1] + i, inv)),
                                    vreinterpretq_s32_s8(bytes_of_row<2>(key[2] + i, inv)), vreinterpretq_s32_s8(bytes_of_row<3>(key[3] + i, inv))}};
        vst4q_s32(static_cast<int32_t*>(static_cast<void*>(k + j * head + 4 * i)), words);
      }
      for (size_t i = 0; i < columns; i += 16) {
        const int8x16x4_t line = {{bytes_of_row<0>(value[0] + i, value_inv), bytes_of_row<1>(value[1] + i, value_inv),
                                   bytes_of_row<2>(value[2] + i, value_inv), bytes_of_row<3>(value[3] + i, value_inv)}};
        vst4q_s8(v + i * keys16 + 16 * j, line);
      }
    }
    for (size_t j = keys; j < keys16; ++j) value_scale[j] = 0.0f;
  }

  // Scores of four queries with all keys, and the largest of each.
  template <bool kPlain>
  static float32x4_t score(const FourQueries& work, size_t first) {
    const FourQueries w = work;  // bytes that are stored may be anything but this copy
    const float* src[4];
    rows_at(w.a.q, w.a.q_stride, first, w.queries, src);
    float32x4_t inv;
    const float32x4_t row_scale = vmulq_n_f32(scales_of_rows(w.head, src, &inv), w.a.scale);
    for (size_t i = 0; i < w.head; i += 16) {
      vst1q_s8(w.q + i, bytes_of_row<0>(src[0] + i, inv));
      vst1q_s8(w.q + w.head + i, bytes_of_row<1>(src[1] + i, inv));
      vst1q_s8(w.q + 2 * w.head + i, bytes_of_row<2>(src[2] + i, inv));
      vst1q_s8(w.q + 3 * w.head + i, bytes_of_row<3>(src[3] + i, inv));
    }
    const float32x4_t hidden = vdupq_n_f32(-__builtin_inff());
    float32x4_t max[4] = {hidden, hidden, hidden, hidden};
    for (size_t key = 0; key < w.keys16; key += 16) {
      int32x4_t acc[4][4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) start_row(acc[r]);
      const int8_t *quads = w.k + key * w.head, *row = w.q;
      const int8_t* const end = row + w.head;
      do {
        int8x16_t x[4];
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) x[r] = vld1q_s8(row + r * w.head);
        line<0>(acc, x, quads, 4 * w.head);
        line<1>(acc, x, quads, 4 * w.head);
        line<2>(acc, x, quads, 4 * w.head);
        line<3>(acc, x, quads, 4 * w.head);
        quads += 64;
        row += 16;
      } while (row != end);
      const Lanes scale = load(w.key_scale + key);
      w.finish<kPlain, 0>(acc, scale, row_scale, key, &max[0]);
      w.finish<kPlain, 1>(acc, scale, row_scale, key, &max[1]);
      w.finish<kPlain, 2>(acc, scale, row_scale, key, &max[2]);
      w.finish<kPlain, 3>(acc, scale, row_scale, key, &max[3]);
    }
    return largest_of_rows(max);
  }

  template <int kLane>
  static ERT_LANES void line(int32x4_t (&acc)[4][4], const int8x16_t (&x)[4], const int8_t* quads, size_t quad_bytes) {
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; ++c) {
      const int8x16_t b = vld1q_s8(quads + c * quad_bytes + 16 * kLane);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) DotSums::mac<kLane>(acc[r][c], b, x[r]);
    }
  }

  // kPlain: no key has a bias or is hidden.
  template <bool kPlain, int kRow>
  ERT_LANES void finish(const int32x4_t (&acc)[4][4], Lanes scale, float32x4_t row_scale, size_t key, float32x4_t* max) const {
    Lanes s = {vmulq_f32(value_of(acc[kRow][0]), times_lane<kRow>(scale.q0, row_scale)),
               vmulq_f32(value_of(acc[kRow][1]), times_lane<kRow>(scale.q1, row_scale)),
               vmulq_f32(value_of(acc[kRow][2]), times_lane<kRow>(scale.q2, row_scale)),
               vmulq_f32(value_of(acc[kRow][3]), times_lane<kRow>(scale.q3, row_scale))};
    if (!kPlain) s = {hide(s.q0, key), hide(s.q1, key + 4), hide(s.q2, key + 8), hide(s.q3, key + 12)};
    *max = larger_number(s.q3, larger_number(s.q2, larger_number(s.q1, larger_number(s.q0, *max))));
    float* const dst = scores + static_cast<size_t>(kRow) * keys16 + key;
    store_pair(dst, s.q0, s.q1);
    store_pair(dst + 8, s.q2, s.q3);
  }

  // Output of four queries: eight columns at a time.
  static void write(const FourQueries& work, size_t first, float32x4_t factor) {
    const FourQueries w = work;  // as in score
    const size_t rows = w.queries - first < 4 ? w.queries - first : 4;
    const ptrdiff_t stride = w.a.dst_stride;
    for (size_t column = 0; column < w.columns; column += 8) {
      int32x4_t hi[4][2], lo[4][2];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        int32x4_t sums[4];
        start_row(sums);
        hi[r][0] = sums[0], hi[r][1] = sums[1], lo[r][0] = sums[2], lo[r][1] = sums[3];
      }
      const int8_t *lines = w.v + column / 16 * 16 * w.keys16 + 4 * (column % 16), *weights = w.p;
      const int8_t* const end = weights + 2 * w.keys16;
      do {
        int8x16_t x[4], y[4];
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) {
          x[r] = vld1q_s8(weights + 2 * r * w.keys16);
          y[r] = vld1q_s8(weights + 2 * r * w.keys16 + 16);
        }
        four_keys<0>(hi, lo, x, y, lines);
        four_keys<1>(hi, lo, x, y, lines);
        four_keys<2>(hi, lo, x, y, lines);
        four_keys<3>(hi, lo, x, y, lines);
        lines += 256;
        weights += 32;
      } while (weights != end);
      float* dst = w.a.dst + static_cast<ptrdiff_t>(first) * stride + column;
      write_row<0>(hi, lo, factor, dst);
      if (rows > 1) write_row<1>(hi, lo, factor, dst + stride);
      if (rows > 2) write_row<2>(hi, lo, factor, dst + 2 * stride);
      if (rows > 3) write_row<3>(hi, lo, factor, dst + 3 * stride);
    }
  }

  template <int kLane>
  static ERT_LANES void four_keys(int32x4_t (&hi)[4][2], int32x4_t (&lo)[4][2], const int8x16_t (&x)[4], const int8x16_t (&y)[4], const int8_t* lines) {
#pragma GCC unroll 2
    for (int c = 0; c < 2; ++c) {
      const int8x16_t b = vld1q_s8(lines + 64 * kLane + 16 * c);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        DotSums::mac<kLane>(hi[r][c], b, x[r]);
        DotSums::mac<kLane>(lo[r][c], b, y[r]);
      }
    }
  }

  // hi * 128 is exact, so the sum is rounded once, as that of integers is.
  template <int kRow>
  static ERT_LANES void write_row(const int32x4_t (&hi)[4][2], const int32x4_t (&lo)[4][2], float32x4_t factor, float* dst) {
    store_pair(dst, times_lane<kRow>(sum_of(hi[kRow][0], lo[kRow][0]), factor), times_lane<kRow>(sum_of(hi[kRow][1], lo[kRow][1]), factor));
  }
  static ERT_LANES float32x4_t sum_of(int32x4_t hi, int32x4_t lo) { return vfmaq_f32(value_of(lo), value_of(hi), vdupq_n_f32(128.0f)); }

  void run() {
    pack();
    const FourQueries w = *this;
    for (size_t first = 0; first < w.queries; first += 4) {
      const float32x4_t max = w.is_plain() ? score<true>(w, first) : score<false>(w, first);
      const float32x4_t factor = weights_of_rows(
          w.keys16, w.value_scale, max, w.scores, [&w](int r, size_t key, WeightDigits d) __attribute__((always_inline)) {
            store_pair(w.p + 2 * (static_cast<size_t>(r) * w.keys16 + key), d.hi, d.lo);
          });
      write(w, first, factor);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
