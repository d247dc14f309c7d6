// int8 attention of one head in 256-bit registers, shared by AVX2 and AVX-VNNI: up to 8 query rows at a time. The level gives
// the two integer products as `Mac`:
//   using Query          element of a quantized query row: int16_t, or int8_t
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
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// Scores of the queries [row, row + 4) against all keys and each row's maximum.
template <typename Mac>
void scores(size_t keys, int row, AttentionWork* w) {
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 max[kTileRows];
  for (int r = 0; r < kTileRows; ++r) max[r] = minus_infinity;
  const typename Mac::Query* queries = reinterpret_cast<const typename Mac::Query*>(w->queries) + row * w->head8;
  for (size_t key = 0; key < keys; key += 16) {
    __m256i acc[kTileRows][2];
    Mac::template scores<kTileRows>(acc, queries, w->head8, w->start + row, w->keys + key * w->head4, w->head4);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const __m256 row_scale = _mm256_set1_ps(w->row[row + r].scale);
#pragma GCC unroll 2
      for (size_t h = 0; h < 2; ++h) {
        const size_t j = key + 8 * h;
        const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(w->key_scale + j));
        __m256 s = _mm256_mul_ps(_mm256_cvtepi32_ps(acc[r][h]), scale);
        if (j + 8 > keys) {
          const __m256i live = lane_mask(j < keys ? keys - j : 0);
          s = _mm256_blendv_ps(minus_infinity, s, _mm256_castsi256_ps(live));
        }
        _mm256_storeu_ps(w->row[row + r].scores + j, s);
        max[r] = _mm256_max_ps(s, max[r]);
      }
    }
  }
  for (int r = 0; r < kTileRows; ++r) w->row[row + r].max = max_of_lanes(max[r]);
}

// Adds the bias and takes out keys that query i does not see; the row maximum is found again.
inline void mask_row(const AttentionArgs& a, size_t i, AttentionRow* row) {
  const int64_t keys = a.seq_k;
  const int64_t last_seen = static_cast<int64_t>(i) + a.causal_offset + 1;
  const size_t seen = static_cast<size_t>(last_seen < 0 ? 0 : last_seen < keys ? last_seen : keys);
  const float* bias = a.bias == nullptr ? nullptr : a.bias + static_cast<ptrdiff_t>(i) * a.bias_stride;
  const uint8_t* mask = a.mask == nullptr ? nullptr : a.mask + static_cast<ptrdiff_t>(i) * a.mask_stride;
  const __m256 minus_infinity = _mm256_set1_ps(-__builtin_inff());
  __m256 max = minus_infinity;
  for (size_t j = 0; j < static_cast<size_t>(keys); j += 8) {
    const size_t count = j >= seen ? 0 : seen - j < 8 ? seen - j : 8;
    __m256i live = lane_mask(count);
    __m256 s = _mm256_loadu_ps(row->scores + j);
    if (bias != nullptr) s = _mm256_add_ps(s, _mm256_maskload_ps(bias + j, live));
    if (mask != nullptr) {
      uint8_t bytes[8] = {};
      memcpy(bytes, mask + j, count);
      const __m256i hidden = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))),
                                                _mm256_setzero_si256());
      live = _mm256_andnot_si256(hidden, live);
    }
    s = _mm256_blendv_ps(minus_infinity, s, _mm256_castsi256_ps(live));
    _mm256_storeu_ps(row->scores + j, s);
    max = _mm256_max_ps(s, max);
  }
  row->max = max_of_lanes(max);
}

// Scores to P in place: p = exp(score - max) * value scale, then P: p / pmax in 14 bits.
inline void weights(const AttentionWork& w, AttentionRow* row) {
  float* p = row->scores;
  const __m256 row_max = _mm256_set1_ps(row->max == -__builtin_inff() ? 0.0f : row->max);
  Lanes sum = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  __m256 largest = _mm256_setzero_ps();
  for (size_t j = 0; j < w.keys16; j += 16) {
    const Lanes t = {_mm256_sub_ps(_mm256_loadu_ps(p + j), row_max), _mm256_sub_ps(_mm256_loadu_ps(p + j + 8), row_max)};
    const Lanes e = exp_of_weight(t);
    sum = sum + e;
    const __m256 low = _mm256_mul_ps(e.lo, _mm256_loadu_ps(w.value_scale + j));
    const __m256 high = _mm256_mul_ps(e.hi, _mm256_loadu_ps(w.value_scale + j + 8));
    largest = _mm256_max_ps(high, _mm256_max_ps(low, largest));
    _mm256_storeu_ps(p + j, low);
    _mm256_storeu_ps(p + j + 8, high);
  }
  const float pmax = max_of_lanes(largest);
  const float all = total(sum);
  const bool sees = pmax >= kZeroRange;
  row->factor = sees ? pmax / kMaxQ16 / all : all - all;  // 0, or NaN
  const __m256 inv = _mm256_set1_ps(sees ? kMaxQ16 / pmax : 0.0f);
  __m128i* out = reinterpret_cast<__m128i*>(p);
  for (size_t j = 0; j < w.keys16; j += 8, ++out) {
    _mm_storeu_si128(out, to_int16(_mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(p + j), inv))));
  }
}

// Output columns [column, column + 16) of the queries [row, row + 4).
template <typename Mac>
void value_tile(const AttentionArgs& a, const AttentionWork& w, size_t first, size_t rows, int row, size_t column) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  const uint8_t* p[kTileRows];
  for (int r = 0; r < kTileRows; ++r) p[r] = reinterpret_cast<const uint8_t*>(w.row[row + r].scores);
  alignas(32) float sums[kTileRows][16] = {};
  const int8_t* pair = w.values + 2 * column;
  for (size_t block = 0; block < keys; block += kKeyBlock) {
    const size_t end = keys - block < kKeyBlock ? keys : block + kKeyBlock;
    __m256i acc[kTileRows][2];
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) acc[r][0] = acc[r][1] = _mm256_setzero_si256();
    for (size_t j = block; j < end; j += 2, pair += 2 * w.columns16) {
      const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pair)));
      const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pair + 16)));
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
        int32_t word;
        memcpy(&word, p[r] + 2 * j, sizeof(word));
        const __m256i p2 = _mm256_set1_epi32(word);
        Mac::pairs(acc[r][0], p2, low);
        Mac::pairs(acc[r][1], p2, high);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const __m256 s = _mm256_add_ps(_mm256_load_ps(sums[r] + 8 * h), _mm256_cvtepi32_ps(acc[r][h]));
        _mm256_store_ps(sums[r] + 8 * h, s);
      }
    }
  }
  const size_t columns = static_cast<size_t>(a.v_dim) - column;
  for (size_t r = 0; r < kTileRows && row + r < rows; ++r) {
    float* dst = a.dst + static_cast<ptrdiff_t>(first + row + r) * a.dst_stride + column;
    const __m256 factor = _mm256_set1_ps(w.row[row + r].factor);
    _mm256_maskstore_ps(dst, lane_mask(columns), _mm256_mul_ps(_mm256_load_ps(sums[r]), factor));
    if (columns > 8) _mm256_maskstore_ps(dst + 8, lane_mask(columns - 8), _mm256_mul_ps(_mm256_load_ps(sums[r] + 8), factor));
  }
}

template <typename Mac>
void attention(const AttentionArgs& a) {
  AttentionWork w;
  lay_out(a, &w);
  pack_keys(a, Mac::kKeyFlip, w);
  pack_values(a, w);
  const bool masked = a.bias != nullptr || a.mask != nullptr || a.causal_offset != INT32_MAX;
  const size_t queries = static_cast<size_t>(a.seq_q);
  size_t blocks = (queries + kMaxRows - 1) / kMaxRows;
  for (size_t first = 0; first < queries; --blocks) {
    const size_t rows = (queries - first + blocks - 1) / blocks;
    quantize_queries<Mac>(a, first, rows, round_up(rows, kTileRows), &w);
    for (size_t row = 0; row < rows; row += kTileRows) scores<Mac>(static_cast<size_t>(a.seq_k), static_cast<int>(row), &w);
    if (masked) {
      for (size_t r = 0; r < rows; ++r) mask_row(a, first + r, &w.row[r]);
    }
    for (size_t r = 0; r < round_up(rows, kTileRows); ++r) weights(w, &w.row[r]);
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
