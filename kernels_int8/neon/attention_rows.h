// int8 attention of one head on the ARM levels. The first product is the level's GEMM loop over N16K4, keys packed as 16 columns a panel; the level
// says how it has values and P:
//   Sums::run<kRows, kQuads>                             neon/gemm_rows.h
//   Values::kBytes                                       of a value of V
//   Values::pack(a, w)                                   V and its scales
//   Values::store_weights(w, row, key, p)                P of 16 keys
//   Values::add<kRows>(w, first, keys, row, column, out)  adds sixteen output columns of a block of keys
// Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/simd/elementary16.h"
#include "kernels_int8/simd/attention_int8_16.h"
// clang-format on

namespace ert::kernels {

struct LineBlocks;

namespace {

constexpr size_t kBlockRows = 8;  // queries at a time

struct AttentionWork {
  size_t keys16, head4, head16, columns16;  // rounded up
  float *key_scale, *value_scale;           // [keys16], zero beyond the keys
  int8_t *keys, *values;                    // panels of 16 keys; V as Values has it, [columns16][keys16]
  int8_t* queries;                          // [kBlockRows][head16]
  float* scores;                            // [kBlockRows][keys16]: scores, then p
  int8_t* p;                                // P as Values has it, 2 bytes each of [kBlockRows][keys16]
  float row_scale[kBlockRows];              // of the query, times the scale on QK^T
  float factor[kBlockRows];                 // from the sum of P * v to the output; 0 where the query sees nothing
  const LineBlocks* key_blocks;             // of a panel of keys, for Sums
};

inline void lay_out(const AttentionArgs& a, size_t value_bytes, AttentionWork* w) {
  w->keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w->head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w->head16 = round_up(static_cast<size_t>(a.head_dim), 16);
  w->columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  w->key_scale = static_cast<float*>(a.scratch);
  w->value_scale = w->key_scale + w->keys16;
  w->scores = w->value_scale + w->keys16;
  w->keys = static_cast<int8_t*>(static_cast<void*>(w->scores + kBlockRows * w->keys16));
  w->values = w->keys + w->keys16 * w->head4;
  w->queries = w->values + value_bytes * w->keys16 * w->columns16;
  w->p = w->queries + kBlockRows * w->head16;
}

ERT_LANES Integers quantized(size_t n, const float* src, size_t i, float inv) {
  return rounded(load_part(n, src, i) * broadcast(inv));
}

inline void pack_keys(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); ++j) {
    const float* src = a.k + static_cast<ptrdiff_t>(j) * a.k_stride;
    float inv;
    w.key_scale[j] = scale_of(n, src, &inv);
    int8_t* column = w.keys + j / 16 * 16 * w.head4 + 4 * (j % 16);
    for (size_t i = 0; i < n; i += 16) {
      int8_t q[16];
      vst1q_s8(q, bytes_of(quantized(n, src, i, inv)));
      for (size_t g = 0; g < 16 && i + g < n; g += 4) memcpy(column + 16 * (i + g), q + g, 4);
    }
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

inline void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t r = 0; r < rows; ++r) {
    const float* src = a.q + static_cast<ptrdiff_t>(first + r) * a.q_stride;
    float inv;
    w->row_scale[r] = scale_of(n, src, &inv) * a.scale;
    for (size_t i = 0; i < n; i += 16) vst1q_s8(w->queries + r * w->head16 + i, bytes_of(quantized(n, src, i, inv)));
  }
}

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

template <class Sums, int kRows, int kQuads>
void score_block(size_t rows, const AttentionWork& w) {
  for (size_t key = 0; key < w.keys16; key += 16) {
    const Lanes key_scale = load(w.key_scale + key);
    for (size_t row = 0; row < rows; row += kRows) {
      int32_t sums[kRows][16];
      sums16<Sums, kRows, kQuads>(sums, w.queries + row * w.head16, w.head16, w.keys + key * w.head4, w.head4, w.key_blocks);
      for (size_t r = 0; r < kRows && row + r < rows; ++r) {
        const Lanes scale = broadcast(w.row_scale[row + r]) * key_scale;
        store(w.scores + (row + r) * w.keys16 + key, to_lanes(sums[r]) * scale);
      }
    }
  }
}

// Exact within a block of keys, the blocks added in order.
template <class Values, int kRows>
void write_block(const AttentionArgs& a, const AttentionWork& w, size_t first, size_t rows) {
  const size_t columns = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k);
  for (size_t column = 0; column < columns; column += 16) {
    for (size_t row = 0; row < rows; row += kRows) {
      float sums[kRows][16] = {};
      for (size_t key = 0; key < keys; key += kKeyBlock)
        Values::template add<kRows>(w, key, keys - key < kKeyBlock ? keys - key : kKeyBlock, row, column, sums);
      for (size_t r = 0; r < kRows && row + r < rows; ++r) {
        float* dst = a.dst + static_cast<ptrdiff_t>(first + row + r) * a.dst_stride + column;
        const float factor = w.factor[row + r];
        const Lanes y = factor == 0.0f ? broadcast(0.0f) : load(sums[r]) * broadcast(factor);
        if (columns - column >= 16) {
          store(dst, y);
        } else {
          store_first(dst, y, columns - column);
        }
      }
    }
  }
}

template <class Sums, class Values, int kRows, int kQuads>
void attention_block(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  quantize_queries(a, first, rows, w);
  score_block<Sums, kRows, kQuads>(rows, *w);
  for (size_t r = 0; r < rows; ++r) {
    float* scores = w->scores + r * w->keys16;
    const float max = mask_row(a, first + r, w->keys16, scores);
    w->factor[r] = weights_of_keys(
        w->keys16, w->value_scale, max,
        scores, [&](size_t j, Lanes y) __attribute__((always_inline)) { Values::store_weights(*w, r, j, rounded(y)); });
  }
  write_block<Values, kRows>(a, *w, first, rows);
}

// kRows divides kBlockRows. A single query (a decoder's step) gets a tile of its own.
template <class Sums, class Values, int kRows, int kQuads>
void attention(const AttentionArgs& a, const LineBlocks* key_blocks = nullptr) {
  AttentionWork w;
  w.key_blocks = key_blocks;
  lay_out(a, Values::kBytes, &w);
  pack_keys(a, w);
  Values::pack(a, w);
  const size_t queries = static_cast<size_t>(a.seq_q);
  if (queries == 1) return attention_block<Sums, Values, 1, kQuads>(a, 0, 1, &w);
  for (size_t first = 0; first < queries; first += kBlockRows) {
    attention_block<Sums, Values, kRows, kQuads>(a, first, queries - first < kBlockRows ? queries - first : kBlockRows, &w);
  }
}

}  // namespace
}  // namespace ert::kernels
