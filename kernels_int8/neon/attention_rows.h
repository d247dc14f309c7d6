// int8 attention of one head on the ARM levels. The level says how it has both products:
//   Keys::kDepth                                         values of the head in a line of keys
//   Keys::store_key(w, key, i, n, q)                     values i to i + 15 of n, zeros beyond n
//   Keys::store_query(w, row, i, q)                      the same of a query
//   Keys::score<kRows>(rows, w)                          scores of the queries at hand with all keys; rows beyond may get any
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
  size_t keys16, head16, columns16;         // rounded up
  size_t key_bytes;                         // of a key: head_dim rounded up to whole lines
  float *key_scale, *value_scale;           // [keys16], zero beyond the keys
  int8_t *keys, *values;                    // as Keys and Values have them; V [columns16][keys16]
  int8_t* queries;                          // [kBlockRows][head16]
  float* scores;                            // [kBlockRows][keys16]: scores, then p
  int8_t* p;                                // P as Values has it, 2 bytes each of [kBlockRows][keys16]
  float row_scale[kBlockRows];              // of the query, times the scale on QK^T
  float factor[kBlockRows];                 // from the sum of P * v to the output; 0 where the query sees nothing
  const LineBlocks* key_blocks;             // of a panel of keys, for Sums
};

inline void lay_out(const AttentionArgs& a, size_t key_depth, size_t value_bytes, AttentionWork* w) {
  w->keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w->key_bytes = round_up(static_cast<size_t>(a.head_dim), key_depth);
  w->head16 = round_up(static_cast<size_t>(a.head_dim), 16);
  w->columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  w->key_scale = static_cast<float*>(a.scratch);
  w->value_scale = w->key_scale + w->keys16;
  w->scores = w->value_scale + w->keys16;
  w->keys = static_cast<int8_t*>(static_cast<void*>(w->scores + kBlockRows * w->keys16));
  w->values = w->keys + w->keys16 * w->key_bytes;
  w->queries = w->values + value_bytes * w->keys16 * w->columns16;
  w->p = w->queries + kBlockRows * w->head16;
}

ERT_LANES Integers quantized(size_t n, const float* src, size_t i, float inv) {
  return rounded(load_part(n, src, i) * broadcast(inv));
}

template <class Keys>
void pack_keys(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); ++j) {
    const float* src = a.k + static_cast<ptrdiff_t>(j) * a.k_stride;
    float inv;
    w.key_scale[j] = scale_of(n, src, &inv);
    for (size_t i = 0; i < n; i += 16) Keys::store_key(w, j, i, n, bytes_of(quantized(n, src, i, inv)));
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

template <class Keys>
void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t r = 0; r < rows; ++r) {
    const float* src = a.q + static_cast<ptrdiff_t>(first + r) * a.q_stride;
    float inv;
    w->row_scale[r] = scale_of(n, src, &inv) * a.scale;
    for (size_t i = 0; i < n; i += 16) Keys::store_query(*w, r, i, bytes_of(quantized(n, src, i, inv)));
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

template <class Keys, class Values, int kKeyRows, int kValueRows>
void attention_block(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  quantize_queries<Keys>(a, first, rows, w);
  Keys::template score<kKeyRows>(rows, *w);
  for (size_t r = 0; r < rows; ++r) {
    float* scores = w->scores + r * w->keys16;
    const float max = mask_row(a, first + r, w->keys16, scores);
    w->factor[r] = weights_of_keys(
        w->keys16, w->value_scale, max,
        scores, [&](size_t j, Lanes y) __attribute__((always_inline)) { Values::store_weights(*w, r, j, rounded(y)); });
  }
  write_block<Values, kValueRows>(a, *w, first, rows);
}

// Rows of a tile of each product divide kBlockRows. A single query (a decoder's step) gets tiles of its own.
template <class Keys, class Values, int kKeyRows, int kValueRows = kKeyRows>
void attention(const AttentionArgs& a, const LineBlocks* key_blocks = nullptr) {
  AttentionWork w;
  w.key_blocks = key_blocks;
  lay_out(a, Keys::kDepth, Values::kBytes, &w);
  pack_keys<Keys>(a, w);
  Values::pack(a, w);
  const size_t queries = static_cast<size_t>(a.seq_q);
  if (queries == 1) return attention_block<Keys, Values, 1, 1>(a, 0, 1, &w);
  for (size_t first = 0; first < queries; first += kBlockRows) {
    attention_block<Keys, Values, kKeyRows, kValueRows>(a, first, queries - first < kBlockRows ? queries - first : kBlockRows, &w);
  }
}

}  // namespace
}  // namespace ert::kernels
