// int8 attention with smmla, eight queries times eight keys, then four times eight columns of V, with no sums in memory. For heads and keys of whole blocks of sixteen values that all
// queries see alike; the rest is i8mm/attention_pairs.h. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/i8mm/attention_pairs.h"
#include "kernels_int8/neon/four_rows.h"
// clang-format on

namespace ert::kernels {
namespace {

ERT_LANES int8x16_t low_halves(int8x16_t a, int8x16_t b) {
  return vreinterpretq_s8_s64(vzip1q_s64(vreinterpretq_s64_s8(a), vreinterpretq_s64_s8(b)));
}
ERT_LANES int8x16_t high_halves(int8x16_t a, int8x16_t b) {
  return vreinterpretq_s8_s64(vzip2q_s64(vreinterpretq_s64_s8(a), vreinterpretq_s64_s8(b)));
}
// Four columns of the first row of a pair, and of the second.
ERT_LANES float32x4_t first_row(int32x4_t left, int32x4_t right) {
  return value_of(vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right))));
}
ERT_LANES float32x4_t second_row(int32x4_t left, int32x4_t right) {
  return value_of(vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right))));
}

// Keys and V: N8K8. Queries: pairs of rows. P: of a pair of rows and eight keys the high digits of both, then the low ones.
struct EightQueries : SharedKeys {
  using Mac = PairTile<8>;

  explicit EightQueries(const AttentionArgs& args) : SharedKeys(args, 8) {}

  void pack() {
    for (size_t j = 0; j < keys16; j += 8) {
      int8x16_t row[8];
      const float *key[2][4], *value[2][4];
      float32x4_t inv[2], value_inv[2];
#pragma GCC unroll 2
      for (size_t h = 0; h < 2; ++h) {
        rows_at(a.k, a.k_stride, j + 4 * h, keys, key[h]);
        rows_at(a.v, a.v_stride, j + 4 * h, keys, value[h]);
        const float32x4_t scale = scales_of_rows(head, key[h], &inv[h]);
        keep_scales(j + 4 * h, scale, scales_of_rows(columns, value[h], &value_inv[h]));
      }
      for (size_t i = 0; i < head; i += 16) {
        eight_rows(key, inv, i, row);
        int8_t* const line = k + j * head + 8 * i;
#pragma GCC unroll 2
        for (int r = 0; r < 8; r += 4) {
          store_pair(line + 8 * r, low_halves(row[r], row[r + 1]), low_halves(row[r + 2], row[r + 3]));
          store_pair(line + 64 + 8 * r, high_halves(row[r], row[r + 1]), high_halves(row[r + 2], row[r + 3]));
        }
      }
      for (size_t i = 0; i < columns; i += 16) {
        eight_rows(value, value_inv, i, row);
        const Columns turned(row);
        int8_t* line = v + i * keys16 + 8 * j;
#pragma GCC unroll 2
        for (size_t c = 0; c < 8; c += 4, line += 8 * keys16) {
          store_pair(line, turned.pair[c], turned.pair[c + 1]);
          store_pair(line + 32, turned.pair[c + 2], turned.pair[c + 3]);
        }
      }
    }
    for (size_t j = keys; j < keys16; ++j) value_scale[j] = 0.0f;
  }

  static ERT_LANES void eight_rows(const float* const (&src)[2][4], const float32x4_t (&inv)[2], size_t i, int8x16_t (&row)[8]) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      row[4 * h] = bytes_of_row<0>(src[h][0] + i, inv[h]);
      row[4 * h + 1] = bytes_of_row<1>(src[h][1] + i, inv[h]);
      row[4 * h + 2] = bytes_of_row<2>(src[h][2] + i, inv[h]);
      row[4 * h + 3] = bytes_of_row<3>(src[h][3] + i, inv[h]);
    }
  }

  // Scores of eight queries with all keys, and the largest of each.
  template <bool kPlain>
  static void score(const EightQueries& work, size_t first, float32x4_t (&largest)[2]) {
    const EightQueries w = work;  // bytes that are stored may be anything but this copy
    float32x4_t row_scale[2];
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; ++h) {
      const float* src[4];
      rows_at(w.a.q, w.a.q_stride, first + 4 * h, w.queries, src);
      float32x4_t inv;
      row_scale[h] = vmulq_n_f32(scales_of_rows(w.head, src, &inv), w.a.scale);
      int8_t* const pairs = w.q + 4 * h * w.head;
      for (size_t i = 0; i < w.head; i += 16) {
        const int8x16_t r0 = bytes_of_row<0>(src[0] + i, inv), r1 = bytes_of_row<1>(src[1] + i, inv);
        const int8x16_t r2 = bytes_of_row<2>(src[2] + i, inv), r3 = bytes_of_row<3>(src[3] + i, inv);
        store_pair(pairs + 2 * i, low_halves(r0, r1), high_halves(r0, r1));
        store_pair(pairs + 2 * w.head + 2 * i, low_halves(r2, r3), high_halves(r2, r3));
      }
    }
    const float32x4_t hidden = vdupq_n_f32(-__builtin_inff());
    float32x4_t max[2][4] = {{hidden, hidden, hidden, hidden}, {hidden, hidden, hidden, hidden}};
    for (size_t key = 0; key < w.keys16; key += 8) {
      int32x4_t acc[4][4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) start_row(acc[r]);
      const int8_t *line = w.k + key * w.head, *pairs = w.q;
      const int8_t* const end = pairs + 2 * w.head;
      do {
        int8x16_t x[4];
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) x[r] = vld1q_s8(pairs + 2 * r * w.head);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const int8x16_t b = vld1q_s8(line + 16 * c);
#pragma GCC unroll 4
          for (int r = 0; r < 4; ++r) Mac::mac(acc[r][c], x[r], b);
        }
        line += 64;
        pairs += 16;
      } while (pairs != end);
      w.finish<kPlain, 0>(acc[0], row_scale[0], 0, key, max[0]);
      w.finish<kPlain, 2>(acc[1], row_scale[0], 2, key, max[0]);
      w.finish<kPlain, 0>(acc[2], row_scale[1], 4, key, max[1]);
      w.finish<kPlain, 2>(acc[3], row_scale[1], 6, key, max[1]);
    }
    largest[0] = largest_of_rows(max[0]);
    largest[1] = largest_of_rows(max[1]);
  }

  // A pair of rows, of which the first is lane kRow of the four.
  template <bool kPlain, int kRow>
  ERT_LANES void finish(const int32x4_t (&acc)[4], float32x4_t row_scale, size_t row, size_t key, float32x4_t (&max)[4]) const {
    const float32x4_t left = vld1q_f32(key_scale + key), right = vld1q_f32(key_scale + key + 4);
    keep<kPlain>(vmulq_f32(first_row(acc[0], acc[1]), times_lane<kRow>(left, row_scale)),
                 vmulq_f32(first_row(acc[2], acc[3]), times_lane<kRow>(right, row_scale)), row, key, &max[kRow]);
    keep<kPlain>(vmulq_f32(second_row(acc[0], acc[1]), times_lane<kRow + 1>(left, row_scale)),
                 vmulq_f32(second_row(acc[2], acc[3]), times_lane<kRow + 1>(right, row_scale)), row + 1, key, &max[kRow + 1]);
  }
  template <bool kPlain>
  ERT_LANES void keep(float32x4_t left, float32x4_t right, size_t row, size_t key, float32x4_t* max) const {
    if (!kPlain) {
      left = hide(left, key);
      right = hide(right, key + 4);
    }
    *max = larger_number(right, larger_number(left, *max));
    store_pair(scores + row * keys16 + key, left, right);
  }

  // Output of four queries, of the second four with half 1: eight columns at a time.
  static void write(const EightQueries& work, size_t half, size_t first, float32x4_t factor) {
    const EightQueries w = work;  // as in score
    const size_t rows = w.queries - first < 4 ? w.queries - first : 4;
    const ptrdiff_t stride = w.a.dst_stride;
    for (size_t column = 0; column < w.columns; column += 8) {
      int32x4_t hi[2][4], lo[2][4];
#pragma GCC unroll 2
      for (int r = 0; r < 2; ++r) start_row(hi[r]), start_row(lo[r]);
      const int8_t *line = w.v + column * w.keys16, *weights = w.p + 8 * half * w.keys16;
      const int8_t* const end = weights + 4 * w.keys16;
      do {
        int8x16_t x[2], y[2];
#pragma GCC unroll 2
        for (size_t r = 0; r < 2; ++r) {
          x[r] = vld1q_s8(weights + 4 * r * w.keys16);
          y[r] = vld1q_s8(weights + 4 * r * w.keys16 + 16);
        }
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const int8x16_t b = vld1q_s8(line + 16 * c);
#pragma GCC unroll 2
          for (int r = 0; r < 2; ++r) {
            Mac::mac(hi[r][c], x[r], b);
            Mac::mac(lo[r][c], y[r], b);
          }
        }
        line += 64;
        weights += 32;
      } while (weights != end);
      float* dst = w.a.dst + static_cast<ptrdiff_t>(first) * stride + column;
      write_row<0>(hi[0], lo[0], factor, dst);
      if (rows > 1) write_row<1>(hi[0], lo[0], factor, dst + stride);
      if (rows > 2) write_row<2>(hi[1], lo[1], factor, dst + 2 * stride);
      if (rows > 3) write_row<3>(hi[1], lo[1], factor, dst + 3 * stride);
    }
  }

  // hi * 128 is exact, so the sum is rounded once, as that of integers is.
  template <int kRow>
  static ERT_LANES void write_row(const int32x4_t (&hi)[4], const int32x4_t (&lo)[4], float32x4_t factor, float* dst) {
    const auto four = [&](int c) __attribute__((always_inline)) {
      const float32x4_t high = kRow % 2 == 0 ? first_row(hi[c], hi[c + 1]) : second_row(hi[c], hi[c + 1]);
      const float32x4_t low = kRow % 2 == 0 ? first_row(lo[c], lo[c + 1]) : second_row(lo[c], lo[c + 1]);
      return times_lane<kRow>(vfmaq_f32(low, high, vdupq_n_f32(128.0f)), factor);
    };
    store_pair(dst, four(0), four(2));
  }

  void run() {
    pack();
    const EightQueries w = *this;
    for (size_t first = 0; first < w.queries; first += 8) {
      float32x4_t max[2];
      w.is_plain() ? score<true>(w, first, max) : score<false>(w, first, max);
      for (size_t h = 0; h < 2 && first + 4 * h < w.queries; ++h) {
        int8_t* const pairs = w.p + 8 * h * w.keys16;
        const float32x4_t factor = weights_of_rows(
            w.keys16, w.value_scale, max[h], w.scores + 4 * h * w.keys16,
            [pairs, &w](int r, size_t key, WeightDigits d) __attribute__((always_inline)) {
              int8_t* const dst = pairs + static_cast<size_t>(r / 2) * 4 * w.keys16 + 4 * key + 8 * static_cast<size_t>(r % 2);
              vst1_s8(dst, vget_low_s8(d.hi));
              vst1_s8(dst + 16, vget_low_s8(d.lo));
              vst1_s8(dst + 32, vget_high_s8(d.hi));
              vst1_s8(dst + 48, vget_high_s8(d.lo));
            });
        write(w, h, first + 4 * h, factor);
      }
    }
  }
};

}  // namespace
}  // namespace ert::kernels
