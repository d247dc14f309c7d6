// int8 attention of one head in 256-bit registers, shared by AVX2 and AVX-VNNI: up to 8 query rows at a time. The level gives
// the two integer products as `Mac`:
//   using Query          element of a quantized query: int16_t in rows, or int8_t, four values of each row of a tile in turns
//   kKeyFlip             xor on packed key bytes: 0x80 makes them u8
//   scores<rows>(acc, queries, row_elements, start, keys, head4)   4 rows x 16 keys of N16K4
//   pairs(acc, p2, v2)   acc += products of int16 pairs
// Everything here has internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx2/attention_packing.h"
#include "kernels_int8/avx2/weights_of_keys.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// Of keys [j, j + 8), the first `count` of which are there: all ones where `mask`, which may be null, shows the key.
inline __attribute__((always_inline)) __m256i keys_seen(const uint8_t* mask, size_t j, size_t count) {
  const __m256i live = lane_mask(count);
  if (mask == nullptr) return live;
  uint8_t bytes[8] = {};
  memcpy(bytes, mask + j, count);
  const __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
  return _mm256_andnot_si256(_mm256_cmpeq_epi32(wide, _mm256_setzero_si256()), live);
}

// What the score tiles apply: bias and mask if they are the same for all queries, and the end of the keys.
inline void lay_out_key_row(const AttentionArgs& a, const AttentionWork& w) {
  const bool same = same_for_all_queries(a);
  const float* bias = same ? a.bias : nullptr;
  const uint8_t* mask = same ? a.mask : nullptr;
  const size_t keys = static_cast<size_t>(a.seq_k);
  for (size_t j = 0; j < w.keys16; j += 8) {
    const size_t count = j >= keys ? 0 : keys - j < 8 ? keys - j : 8;
    const __m256i seen = keys_seen(mask, j, count);
    const __m256 x = bias != nullptr ? _mm256_maskload_ps(bias + j, lane_mask(count)) : _mm256_set1_ps(-0.0f);  // x + -0 is x
    _mm256_storeu_ps(w.key_bias + j, x);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(w.key_seen + j), seen);
  }
}

// Scores of the queries [row, row + 4) against all keys and each row's maximum.
template <typename Mac>
void scores(int row, AttentionWork* w) {
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 max[kTileRows];
  for (int r = 0; r < kTileRows; ++r) max[r] = minus_infinity;
  const typename Mac::Query* queries = reinterpret_cast<const typename Mac::Query*>(w->queries) + row * w->head8;
  float* const dst = w->row(row);
  for (size_t key = 0; key < w->keys16; key += 16) {
    __m256i acc[kTileRows][2];
    Mac::template scores<kTileRows>(acc, queries, w->head8, w->start + row, w->keys + key * w->head4, w->head4);
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; ++h) {
      const size_t j = key + 8 * h;
      const __m256 key_scale = _mm256_loadu_ps(w->key_scale + j), bias = _mm256_loadu_ps(w->key_bias + j);
      const __m256 seen = _mm256_loadu_ps(reinterpret_cast<const float*>(w->key_seen + j));
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
        const __m256 scale = _mm256_mul_ps(_mm256_set1_ps(w->scale[row + r]), key_scale);
        __m256 s = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(acc[r][h]), scale), bias);
        s = _mm256_blendv_ps(minus_infinity, s, seen);
        _mm256_storeu_ps(dst + static_cast<size_t>(r) * w->keys16 + j, s);
        max[r] = _mm256_max_ps(s, max[r]);
      }
    }
  }
  _mm_store_ps(w->max + row, reduce_4_rows<Largest>(max[0], max[1], max[2], max[3]));
}

// Adds the bias and takes out keys that the queries [first + row, first + row + 4) do not see; the maxima of the rows are found again. Queries
// behind the last one are taken for it.
inline void mask_rows(const AttentionArgs& a, size_t first, int row, AttentionWork* w) {
  const int64_t keys = a.seq_k;
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 max[kTileRows];
  for (int r = 0; r < kTileRows; ++r) {
    const int64_t query = static_cast<int64_t>(first) + row + r, i = query < a.seq_q ? query : a.seq_q - 1;
    const int64_t last_seen = i + a.causal_offset + 1;
    const size_t seen = static_cast<size_t>(last_seen < 0 ? 0 : last_seen < keys ? last_seen : keys);
    const float* bias = a.bias == nullptr ? nullptr : a.bias + static_cast<ptrdiff_t>(i) * a.bias_stride;
    const uint8_t* mask = a.mask == nullptr ? nullptr : a.mask + static_cast<ptrdiff_t>(i) * a.mask_stride;
    float* const of_row = w->row(row + r);
    max[r] = minus_infinity;
    for (size_t j = 0; j < static_cast<size_t>(keys); j += 8) {
      const size_t count = j >= seen ? 0 : seen - j < 8 ? seen - j : 8;
      __m256 s = _mm256_loadu_ps(of_row + j);
      if (bias != nullptr) s = _mm256_add_ps(s, _mm256_maskload_ps(bias + j, lane_mask(count)));
      s = _mm256_blendv_ps(minus_infinity, s, _mm256_castsi256_ps(keys_seen(mask, j, count)));
      _mm256_storeu_ps(of_row + j, s);
      max[r] = _mm256_max_ps(s, max[r]);
    }
  }
  _mm_store_ps(w->max + row, reduce_4_rows<Largest>(max[0], max[1], max[2], max[3]));
}

// What the weights of a block's rows sum up to and the largest of them times its value scale, per lane.
struct WeightEnds {
  __m256 sum[kMaxRows], largest[kMaxRows];
};

// Scores of the queries [row, row + 4) to p = exp(score - max) * value scale, in place.
inline void exponentials(int row, AttentionWork* w, WeightEnds* ends) {
  float* const p = w->row(row);
  alignas(16) float max[kTileRows];
  const __m128 found = _mm_load_ps(w->max + row);
  _mm_store_ps(max, _mm_andnot_ps(_mm_cmpeq_ps(found, _mm_set1_ps(-__builtin_inff())), found));
  __m256 sum[2 * kTileRows], *const largest = ends->largest + row;
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) sum[2 * r] = sum[2 * r + 1] = largest[r] = _mm256_setzero_ps();
  for (size_t j = 0; j < w->keys16; j += 16) {
    __m256 e[2 * kTileRows];
    exp_of_weights_in_step(p + j, w->keys16, max, e);
    const __m256 low = _mm256_loadu_ps(w->value_scale + j), high = _mm256_loadu_ps(w->value_scale + j + 8);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      sum[2 * r] = _mm256_add_ps(sum[2 * r], e[2 * r]);
      sum[2 * r + 1] = _mm256_add_ps(sum[2 * r + 1], e[2 * r + 1]);
      const __m256 p_low = _mm256_mul_ps(e[2 * r], low), p_high = _mm256_mul_ps(e[2 * r + 1], high);
      largest[r] = _mm256_max_ps(p_high, _mm256_max_ps(p_low, largest[r]));
      _mm256_storeu_ps(p + static_cast<size_t>(r) * w->keys16 + j, p_low);
      _mm256_storeu_ps(p + static_cast<size_t>(r) * w->keys16 + j + 8, p_high);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) ends->sum[row + r] = _mm256_add_ps(sum[2 * r], sum[2 * r + 1]);
}

// p of the queries [row, row + 4) to P: p / pmax in 14 bits.
inline void finish_weights(int row, const WeightEnds& ends, AttentionWork* w) {
  const __m256 *const sum = ends.sum + row, *const largest = ends.largest + row;
  const __m128 pmax = reduce_4_rows<Largest>(largest[0], largest[1], largest[2], largest[3]);
  const __m128 all = reduce_4_rows<Sum>(sum[0], sum[1], sum[2], sum[3]);
  const __m128 sees = _mm_cmpge_ps(pmax, _mm_set1_ps(kZeroRange)), steps = _mm_set1_ps(kMaxQ16);
  // Else 0, or NaN.
  _mm_store_ps(w->factor + row, _mm_blendv_ps(_mm_sub_ps(all, all), _mm_div_ps(_mm_div_ps(pmax, steps), all), sees));
  alignas(16) float inv[kTileRows];
  _mm_store_ps(inv, _mm_and_ps(sees, _mm_div_ps(steps, pmax)));
  for (int r = 0; r < kTileRows; ++r) {
    float* const p = w->row(row + r);
    const __m256 inv8 = _mm256_set1_ps(inv[r]);
    __m128i* out = reinterpret_cast<__m128i*>(p);
    for (size_t j = 0; j < w->keys16; j += 16, out += 2) {
      const __m256i low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(p + j), inv8));
      const __m256i high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(p + j + 8), inv8));
      const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), both);
    }
  }
}

// Of the rows p of P from key `block` to `end`: sums of their products with 16 columns of values, of which `pair` is the first.
template <typename Mac>
inline __attribute__((always_inline)) const int16_t* sum_values(const uint8_t* const (&p)[kTileRows], const int16_t* pair, size_t columns16,
                                                                size_t block, size_t end, __m256i (&acc)[kTileRows][2]) {
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) acc[r][0] = acc[r][1] = _mm256_setzero_si256();
  for (size_t j = block; j < end; j += 2, pair += 2 * columns16) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair + 16));
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      int32_t word;
      memcpy(&word, p[r] + 2 * j, sizeof(word));
      const __m256i p2 = _mm256_set1_epi32(word);
      Mac::pairs(acc[r][0], p2, low);
      Mac::pairs(acc[r][1], p2, high);
    }
  }
  return pair;
}

// Output columns [column, column + 16) of the queries [row, row + 4).
template <typename Mac>
void value_tile(const AttentionArgs& a, const AttentionWork& w, size_t first, size_t rows, int row, size_t column) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  const uint8_t* p[kTileRows];
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) p[r] = reinterpret_cast<const uint8_t*>(w.row(row + r));
  __m256 sums[kTileRows][2];
  __m256i acc[kTileRows][2];
  const int16_t* pair = sum_values<Mac>(p, w.values + 2 * column, w.columns16, 0, keys < kKeyBlock ? keys : kKeyBlock, acc);
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) sums[r][0] = _mm256_cvtepi32_ps(acc[r][0]), sums[r][1] = _mm256_cvtepi32_ps(acc[r][1]);
  for (size_t block = kKeyBlock; block < keys; block += kKeyBlock) {
    pair = sum_values<Mac>(p, pair, w.columns16, block, keys - block < kKeyBlock ? keys : block + kKeyBlock, acc);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) sums[r][h] = _mm256_add_ps(sums[r][h], _mm256_cvtepi32_ps(acc[r][h]));
    }
  }
  const size_t columns = static_cast<size_t>(a.v_dim) - column;
  const float* factors = w.factor + row;
  float* dst = a.dst + static_cast<ptrdiff_t>(first + static_cast<size_t>(row)) * a.dst_stride + column;
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r, dst += a.dst_stride) {
    if (static_cast<size_t>(row + r) >= rows) break;
    const __m256 factor = _mm256_set1_ps(factors[r]), low = _mm256_mul_ps(sums[r][0], factor), high = _mm256_mul_ps(sums[r][1], factor);
    if (columns >= 16) {  // stores under a mask take long on older cores
      _mm256_storeu_ps(dst, low);
      _mm256_storeu_ps(dst + 8, high);
    } else {
      _mm256_maskstore_ps(dst, lane_mask(columns), low);
      if (columns > 8) _mm256_maskstore_ps(dst + 8, lane_mask(columns - 8), high);
    }
  }
}

template <typename Mac>
void attention(const AttentionArgs& a) {
  AttentionWork w;
  lay_out(a, &w);
  // Rows of whole registers need no care at their ends.
  const bool whole = a.head_dim % 8 == 0;
  (whole ? pack_keys<true> : pack_keys<false>)(a, Mac::kKeyFlip, w);
  (a.v_dim % 8 == 0 ? pack_values<true> : pack_values<false>)(a, w);
  lay_out_key_row(a, w);
  const bool masked = !same_for_all_queries(a);
  const size_t queries = static_cast<size_t>(a.seq_q);
  size_t blocks = (queries + kMaxRows - 1) / kMaxRows;
  for (size_t first = 0; first < queries; --blocks) {
    const size_t rows = (queries - first + blocks - 1) / blocks;
    (whole ? quantize_queries<Mac, true> : quantize_queries<Mac, false>)(a, first, rows, &w);
    for (int row = 0; static_cast<size_t>(row) < rows; row += kTileRows) {
      scores<Mac>(row, &w);
      if (masked) mask_rows(a, first, row, &w);
    }
    // Step by step for the whole block: between a row's weights and its P lie shuffles and divisions, which wait for one another.
    WeightEnds ends;
    for (int row = 0; static_cast<size_t>(row) < rows; row += kTileRows) exponentials(row, &w, &ends);
    for (int row = 0; static_cast<size_t>(row) < rows; row += kTileRows) finish_weights(row, ends, &w);
    for (size_t row = 0; row < rows; row += kTileRows) {
      for (size_t column = 0; column < static_cast<size_t>(a.v_dim); column += 16) {
        value_tile<Mac>(a, w, first, rows, static_cast<int>(row), column);
      }
    }
    first += rows;
  }
}

}  // namespace
}  // namespace ert::kernels
