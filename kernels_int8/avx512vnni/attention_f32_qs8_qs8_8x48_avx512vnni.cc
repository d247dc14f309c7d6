// int8 attention of one head for AVX512-VNNI. Keys (s8) and queries (u8, q + 128) are stored as N16K4, so that a score tile reads
// lines of keys and 4-byte words of queries; values as int16 pairs of keys, which vpdpwssd multiplies by pairs of P. The product with
// V of one block of queries runs in step with the exponentials of the next: the one keeps the multipliers busy, the other the adders.

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx512vnni/lanes16_avx512.h"
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx512vnni/attention_packing.h"
#include "kernels_int8/avx512vnni/attention_scores.h"
#include "kernels_int8/avx512vnni/reduce_rows.h"
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

// A block of at most kPackRows queries, with per query:
struct Queries {
  size_t first, rows;
  size_t tile_rows;                     // rows rounded up to a tile
  alignas(64) float max[kPackRows];     // of the scores; 0 where the query sees nothing
  alignas(64) float inv[kPackRows];     // from p to P
  alignas(64) float factor[kPackRows];  // from the sum of P * v to the output; 0 where the query sees nothing
};

// Scores of four rows to p = exp(score - max) * value scale, with the sums of exp and the largest p per lane. Absent and hidden
// keys give zeros.
inline __attribute__((always_inline)) void exponentials(const Work& w, const float* row_max, float* row, __m512* sum_out,
                                                        __m512* largest_out) {
  float* const r0 = row;
  float* const r1 = r0 + w.keys16;
  float* const r2 = r1 + w.keys16;
  float* const r3 = r2 + w.keys16;
  const Lanes zero = broadcast(0.0f);
  Lanes4 sum = {zero, zero, zero, zero}, largest = sum;
  const Lanes4 max = {broadcast(row_max[0]), broadcast(row_max[1]), broadcast(row_max[2]), broadcast(row_max[3])};
  for (size_t j = 0; j < w.keys16; j += 16) {
    const Lanes4 e = exp_of_weight(Lanes4{load(r0 + j), load(r1 + j), load(r2 + j), load(r3 + j)} - max);
    const Lanes4 p = e * load(w.value_scale + j);
    sum = sum + e;
    largest = {larger(p.a, largest.a), larger(p.b, largest.b), larger(p.c, largest.c), larger(p.d, largest.d)};
    store(r0 + j, p.a);
    store(r1 + j, p.b);
    store(r2 + j, p.c);
    store(r3 + j, p.d);
  }
  sum_out[0] = sum.a.v, sum_out[1] = sum.b.v, sum_out[2] = sum.c.v, sum_out[3] = sum.d.v;
  largest_out[0] = largest.a.v, largest_out[1] = largest.b.v, largest_out[2] = largest.c.v, largest_out[3] = largest.d.v;
}

// The same for one row's next 16 keys.
struct RowWeights {
  Lanes max, sum, largest;
  inline __attribute__((always_inline)) void start(float row_max) {
    max = broadcast(row_max);
    sum = largest = broadcast(0.0f);
  }
  inline __attribute__((always_inline)) void step(float* scores, const float* value_scale) {
    const Lanes e = exp_of_weight(load(scores) - max);
    const Lanes p = e * load(value_scale);
    sum = sum + e;
    largest = larger(p, largest);
    store(scores, p);
  }
};

// p to P.
void quantize_p(size_t keys16, float inv, const float* p, int16_t* out) {
  const __m512 inv16 = _mm512_set1_ps(inv);
  for (size_t j = 0; j < keys16; j += 16) {
    const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(p + j), inv16));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + j), _mm512_cvtepi32_epi16(q));
  }
}

// What one division, one tree of shuffles handles: 8 or 16 queries.
template <class Op>
inline __attribute__((always_inline)) __m512 reduce_rows(const __m512* row, size_t rows) {
  if (rows == kRows) return _mm512_castps256_ps512(reduce_8_rows<Op>(row));
  __m512 all[kPackRows];
#pragma GCC unroll 16
  for (size_t r = 0; r < kPackRows; ++r) all[r] = row[r];
  return reduce_16_rows<Op>(all);
}

// One step of the product: two keys, all rows of a tile.
template <int kLines>
inline __attribute__((always_inline)) void accumulate_pair(__m512i (&acc)[kRows][kLines], const int16_t* p, size_t keys16,
                                                           const int16_t* pair) {
  __m512i line[kLines];
#pragma GCC unroll 16
  for (int c = 0; c < kLines; ++c) line[c] = _mm512_loadu_si512(pair + 32 * c);
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
    int32_t word;
    memcpy(&word, p + r * keys16, sizeof(word));
    const __m512i p2 = _mm512_set1_epi32(word);
#pragma GCC unroll 16
    for (int c = 0; c < kLines; ++c) __asm__("vpdpwssd %2, %1, %0" : "+v"(acc[r][c]) : "v"(p2), "v"(line[c]));
  }
}

template <int kLines>
inline __attribute__((always_inline)) void clear(__m512i (&acc)[kRows][kLines]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int c = 0; c < kLines; ++c) acc[r][c] = _mm512_setzero_si512();
  }
}

// Rows [tile, tile + kRows) of the block, columns from `column` on.
template <int kLines>
inline __attribute__((always_inline)) void store_values(const AttentionArgs& a, const Queries& q, size_t tile, size_t column,
                                                        const __m512 (&sums)[kRows][kLines]) {
  const __mmask16 last = lane_mask(static_cast<size_t>(a.v_dim) - column - 16 * (kLines - 1));
  for (size_t r = 0; r < kRows && tile + r < q.rows; ++r) {
    float* dst = a.dst + static_cast<ptrdiff_t>(q.first + tile + r) * a.dst_stride + column;
    const __m512 factor = _mm512_set1_ps(q.factor[tile + r]);
    for (int c = 0; c < kLines; ++c) {
      _mm512_mask_storeu_ps(dst + 16 * c, c + 1 == kLines ? last : 0xffff, _mm512_mul_ps(sums[r][c], factor));
    }
  }
}

template <int kLines>
__attribute__((noinline)) void value_tile(const AttentionArgs& a, const Work& w, const Queries& q, size_t tile, size_t column) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  __m512 sums[kRows][kLines];
  __m512i acc[kRows][kLines];
  for (size_t block = 0; block < keys; block += kKeyBlock) {
    const size_t end = keys - block < kKeyBlock ? keys : block + kKeyBlock;
    clear(acc);
    const int16_t* p = w.weights + tile * w.keys16 + block;
    const int16_t* pair = w.values + block * w.columns16 + 2 * column;
    for (size_t j = block; j < end; j += 2, p += 2, pair += 2 * w.columns16) accumulate_pair(acc, p, w.keys16, pair);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int c = 0; c < kLines; ++c) {
        const __m512 sum = _mm512_cvtepi32_ps(acc[r][c]);
        sums[r][c] = block == 0 ? sum : _mm512_add_ps(sums[r][c], sum);
      }
    }
  }
  store_values(a, q, tile, column, sums);
}

// value_tile for the first columns of block q, in step with the exponentials of a tile of the next block: as many key pairs as a row
// has vectors go with each row.
template <int kLines>
__attribute__((noinline)) void value_tile_and_exponentials(const AttentionArgs& a, const Work& w, const Queries& q,
                                                           const float* next_max, size_t tile, __m512* sum_out,
                                                           __m512* largest_out) {
  __m512i acc[kRows][kLines];
  clear(acc);
  const int16_t* p = w.weights + tile * w.keys16;
  const int16_t* pair = w.values;
  float* scores_of_row = w.scores + tile * w.keys16;
  for (size_t row = 0; row < kRows; ++row, scores_of_row += w.keys16) {
    RowWeights weights;
    weights.start(next_max[row]);
    for (size_t j = 0; j < w.keys16; j += 16, p += 2, pair += 2 * w.columns16) {
      weights.step(scores_of_row + j, w.value_scale + j);
      accumulate_pair(acc, p, w.keys16, pair);
    }
    sum_out[row] = weights.sum.v;
    largest_out[row] = weights.largest.v;
  }
  __m512 sums[kRows][kLines];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int c = 0; c < kLines; ++c) sums[r][c] = _mm512_cvtepi32_ps(acc[r][c]);
  }
  store_values(a, q, tile, 0, sums);
}

// Columns from `column` on of a block whose P is in w.weights.
void values(const AttentionArgs& a, const Work& w, const Queries& q, size_t column) {
  const size_t columns = static_cast<size_t>(a.v_dim);
  for (; column < columns; column += 32) {
    for (size_t tile = 0; tile < q.rows; tile += kRows) {
      columns - column > 16 ? value_tile<2>(a, w, q, tile, column) : value_tile<1>(a, w, q, tile, column);
    }
  }
}

// Scores of the block packed in w.queries, with bias and mask; row maxima to q.max.
void score_block(const AttentionArgs& a, const Work& w, const float* query_scale, Queries* q) {
  __m512 max[kPackRows];
  for (size_t r = 0; r < q->tile_rows; r += kRows)
    scores(static_cast<size_t>(a.seq_k), w, w.queries + 4 * r, query_scale + r, w.scores + r * w.keys16, max + r);
  if (!same_for_all_queries(a)) {
    for (size_t r = 0; r < q->rows; ++r) max[r] = mask_row(a, q->first + r, w.scores + r * w.keys16);
  }
  const __m512 row_max = reduce_rows<Largest>(max, q->tile_rows);
  const __mmask16 live = _mm512_cmp_ps_mask(row_max, _mm512_set1_ps(-__builtin_inff()), _CMP_NEQ_UQ);
  _mm512_storeu_ps(q->max, _mm512_maskz_mov_ps(live, row_max));
}

// p to P for the whole block: between a row's weights and its P lie trees of shuffles and divisions.
void finish_weights(const Work& w, const __m512* sum, const __m512* largest, Queries* q) {
  const __m512 pmax = reduce_rows<Largest>(largest, q->tile_rows);
  const __m512 total = reduce_rows<Sum>(sum, q->tile_rows);
  const __mmask16 sees = _mm512_cmp_ps_mask(pmax, _mm512_set1_ps(kZeroRange), _CMP_GE_OQ);
  const __m512 max_q = _mm512_set1_ps(kMaxQ16);
  _mm512_storeu_ps(q->inv, _mm512_maskz_div_ps(sees, max_q, pmax));
  const __m512 none = _mm512_sub_ps(total, total);  // 0, or NaN of a row that sees a NaN
  _mm512_storeu_ps(q->factor, _mm512_mask_div_ps(none, sees, _mm512_div_ps(pmax, max_q), total));
  for (size_t r = 0; r < q->tile_rows; ++r) quantize_p(w.keys16, q->inv[r], w.scores + r * w.keys16, w.weights + r * w.keys16);
}

// Weights of `next`, whose scores are there, and the output of `before`, whose P is there (no rows: none).
void weigh_and_output(const AttentionArgs& a, const Work& w, const Queries& before, Queries* next) {
  __m512 sum[kPackRows], largest[kPackRows];
  if (before.rows > kRows && next->tile_rows == kPackRows && w.keys16 <= kKeyBlock) {
    for (size_t tile = 0; tile < kPackRows; tile += kRows) {
      const auto both = a.v_dim > 16 ? value_tile_and_exponentials<2> : value_tile_and_exponentials<1>;
      both(a, w, before, next->max + tile, tile, sum + tile, largest + tile);
    }
    values(a, w, before, 32);
  } else {
    values(a, w, before, 0);
    for (size_t r = 0; r < next->tile_rows; r += 4) exponentials(w, next->max + r, w.scores + r * w.keys16, sum + r, largest + r);
  }
  finish_weights(w, sum, largest, next);
}

}  // namespace

void attention_f32_qs8_qs8_8x48_avx512vnni(const AttentionArgs& a) {
  const Work w = lay_out(a);
  for (size_t key = 0; key < w.keys16; key += kPackRows) {
    pack_keys(a, w, key);
    pack_values(a, w, key);
  }
  lay_out_key_row(a, w);
  const size_t queries = static_cast<size_t>(a.seq_q);
  Queries block[2];
  block[1].rows = 0;
  int now = 0;
  for (size_t first = 0; first < queries; first += kPackRows, now ^= 1) {
    Queries& q = block[now];
    q.first = first;
    q.rows = queries - first < kPackRows ? queries - first : kPackRows;
    q.tile_rows = q.rows <= kRows ? kRows : kPackRows;
    alignas(64) float scale[kPackRows];
    pack_queries(a, w, first, scale);
    score_block(a, w, scale, &q);
    weigh_and_output(a, w, block[now ^ 1], &q);
  }
  values(a, w, block[now ^ 1], 0);
}

}  // namespace ert::kernels
