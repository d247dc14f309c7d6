// int8 attention with smmla: keys and V as N8K8, queries and P as pairs of rows, eight bytes of the first and the same eight of the second, so that
// no tile has to interleave them. Internal linkage.
#pragma once

#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/attention_rows.h"

namespace ert::kernels {
namespace {

template <int kRows>
using PairTile = MatrixSumsOf<Layout::kN8K8, true>::Tile<kRows, 2>;  // eight columns

// Sixteen bytes of a row into the memory of its pair.
ERT_LANES void store_in_pair(int8_t* rows, size_t row_bytes, size_t row, size_t i, int8x16_t bytes) {
  int8_t* dst = rows + row / 2 * 2 * row_bytes + 2 * i + 8 * (row % 2);
  vst1_s8(dst, vget_low_s8(bytes));
  vst1_s8(dst + 16, vget_high_s8(bytes));
}

// Columns 4q to 4q + 3 of row r.
template <int kRows>
ERT_LANES int32x4_t sums_of(const PairTile<kRows>& t, int r, int q) {
  const int64x2_t left = vreinterpretq_s64_s32(t.acc[r / 2][2 * q]), right = vreinterpretq_s64_s32(t.acc[r / 2][2 * q + 1]);
  return vreinterpretq_s32_s64(r % 2 == 0 ? vzip1q_s64(left, right) : vzip2q_s64(left, right));
}

template <int kRows>
ERT_LANES void clear(PairTile<kRows>* t) {
#pragma GCC unroll 16
  for (int p = 0; p < PairTile<kRows>::kPairs; ++p) t->acc[p][0] = t->acc[p][1] = t->acc[p][2] = t->acc[p][3] = vdupq_n_s32(0);
}

// Adds eight k.
template <int kRows>
ERT_LANES void step(PairTile<kRows>* t, const int8_t* pairs, size_t row_bytes, const int8_t* line) {
  int8x16_t a[PairTile<kRows>::kPairs];
#pragma GCC unroll 16
  for (int p = 0; p < PairTile<kRows>::kPairs; ++p) a[p] = vld1q_s8(pairs + 2 * static_cast<size_t>(p) * row_bytes);
  t->step(a, line, true);
}

struct PairKeys {
  static constexpr size_t kDepth = 8;

  static inline void store_key(const AttentionWork& w, size_t key, size_t i, size_t n, int8x16_t q) {
    int8_t* column = w.keys + key / 8 * 8 * w.key_bytes + 8 * (key % 8) + 8 * i;
    vst1_s8(column, vget_low_s8(q));
    if (i + 8 < n) vst1_s8(column + 64, vget_high_s8(q));
  }
  static inline void store_query(const AttentionWork& w, size_t row, size_t i, int8x16_t q) {
    store_in_pair(w.queries, w.head16, row, i, q);
  }

  template <int kRows>
  static void score(size_t rows, const AttentionWork& w) {
    for (size_t row = 0; row < rows; row += kRows) {
      for (size_t key = 0; key < w.keys16; key += 8) {
        PairTile<kRows> t;
        clear<kRows>(&t);
        for (size_t i = 0; i < w.key_bytes; i += 8)
          step<kRows>(&t, w.queries + row * w.head16 + 2 * i, w.head16, w.keys + key * w.key_bytes + 8 * i);
        const float32x4_t left = vld1q_f32(w.key_scale + key), right = vld1q_f32(w.key_scale + key + 4);
        float* dst = w.scores + row * w.keys16 + key;
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r, dst += w.keys16) {
          const float row_scale = w.row_scale[row + static_cast<size_t>(r)];
          vst1q_f32(dst, vmulq_f32(vcvtq_f32_s32(sums_of<kRows>(t, r, 0)), vmulq_n_f32(left, row_scale)));
          vst1q_f32(dst + 4, vmulq_f32(vcvtq_f32_s32(sums_of<kRows>(t, r, 1)), vmulq_n_f32(right, row_scale)));
        }
      }
    }
  }
};

// Eight rows of sixteen bytes to sixteen columns of eight bytes.
struct Columns {
  int8x16_t pair[8];  // of columns 2i and 2i + 1

  explicit ERT_LANES Columns(const int8x16_t (&row)[8]) {
    int8x16_t fours[8], twos[8];  // bytes of rows that are four apart, and two
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      fours[r] = vzip1q_s8(row[r], row[r + 4]);
      fours[r + 4] = vzip2q_s8(row[r], row[r + 4]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      const int from = r / 2 * 4 + r % 2;
      twos[2 * r] = vzip1q_s8(fours[from], fours[from + 2]);
      twos[2 * r + 1] = vzip2q_s8(fours[from], fours[from + 2]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const int from = c / 2 * 4 + c % 2;
      pair[2 * c] = vzip1q_s8(twos[from], twos[from + 2]);
      pair[2 * c + 1] = vzip2q_s8(twos[from], twos[from + 2]);
    }
  }
};

// P: [2][kBlockRows][keys16] in pairs, high digits first.
struct PairValues {
  static constexpr size_t kBytes = 1;

  static inline void pack(const AttentionArgs& a, const AttentionWork& w) {
    const size_t n = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k);
    for (size_t j = 0; j < keys; j += 8) {
      const float* src[8];
      float inv[8];
      for (size_t r = 0; r < 8; ++r) {  // keys beyond the end repeat the last one: their P is zero
        const size_t key = j + r < keys ? j + r : keys - 1;
        src[r] = a.v + static_cast<ptrdiff_t>(key) * a.v_stride;
        w.value_scale[j + r] = scale_of_values(scale_of(n, src[r], &inv[r]), &w.key_scale[j + r]);
      }
      for (size_t i = 0; i < n; i += 16) {
        int8x16_t row[8];
#pragma GCC unroll 8
        for (int r = 0; r < 8; ++r) row[r] = bytes_of(quantized(n, src[r], i, inv[r]));
        const Columns columns(row);
        int8_t* line = w.values + i * w.keys16 + 8 * j;
#pragma GCC unroll 8
        for (int c = 0; c < 8; ++c) vst1q_s8(line + static_cast<size_t>(c / 4) * 8 * w.keys16 + 16 * (c % 4), columns.pair[c]);
      }
    }
    for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
  }

  static ERT_LANES void store_weights(const AttentionWork& w, size_t row, size_t key, Integers p) {
    const Digits d = digits_of(p);
    store_in_pair(w.p, w.keys16, row, key, d.hi);
    store_in_pair(w.p + kBlockRows * w.keys16, w.keys16, row, key, d.lo);
  }

  template <int kRows>
  static __attribute__((noinline)) void add(const AttentionWork& w, size_t first, size_t keys, size_t row, size_t column,
                                            float (&out)[kRows][16]) {
    for (size_t c = 0; c < 16; c += 8) {
      PairTile<kRows> hi, lo;
      clear<kRows>(&hi);
      clear<kRows>(&lo);
      const int8_t* pairs = w.p + row * w.keys16 + 2 * first;
      const int8_t* line = w.values + (column + c) * w.keys16 + 8 * first;
      for (size_t j = 0; j < keys; j += 8, pairs += 16, line += 64) {
        step<kRows>(&hi, pairs, w.keys16, line);
        step<kRows>(&lo, pairs + kBlockRows * w.keys16, w.keys16, line);
      }
#pragma GCC unroll 16
      for (int p = 0; p < PairTile<kRows>::kPairs; ++p) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) lo.acc[p][i] = vaddq_s32(vshlq_n_s32(hi.acc[p][i], 7), lo.acc[p][i]);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (int q = 0; q < 2; ++q) {
          float* y = out[r] + c + 4 * q;
          vst1q_f32(y, vaddq_f32(vld1q_f32(y), vcvtq_f32_s32(sums_of<kRows>(lo, r, q))));
        }
      }
    }
  }
};

}  // namespace
}  // namespace ert::kernels
