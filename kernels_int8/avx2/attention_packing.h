// Scratch of the int8 attention of AVX2 and AVX-VNNI and what goes in: keys, values and queries, quantized. `Mac` is what attention_rows.h
// says. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx2/reduce_rows.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

constexpr int kTileRows = 4;
constexpr int kMaxRows = 8;

struct AttentionWork {
  size_t keys16;     // keys rounded up to 16
  size_t head4;      // head_dim rounded up to 4
  size_t head8;      // head_dim rounded up to 8: elements of a query row
  size_t columns16;  // v_dim rounded up to 16
  float* scores;     // [kMaxRows][keys16]: scores, then p, then P as int16
  float* key_scale;
  float* value_scale;
  float* key_bias;     // what all queries add to their scores
  uint32_t* key_seen;  // all ones, or 0 where no query sees the key
  int8_t* keys;        // N16K4
  int16_t* values;     // per pair of keys: for each column (even key, odd key)
  uint8_t* queries;    // as Mac says
  alignas(16) float scale[kMaxRows];   // of the query, times the scale on QK^T
  alignas(16) float max[kMaxRows];     // of the scores
  alignas(16) float factor[kMaxRows];  // from the sum of P * v to the output; 0 where the query sees nothing
  int32_t start[kMaxRows];             // -128 * sum of the query's int8 values

  float* row(int r) const { return scores + static_cast<size_t>(r) * keys16; }
};

inline void lay_out(const AttentionArgs& a, AttentionWork* w) {
  w->keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w->head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w->head8 = round_up(static_cast<size_t>(a.head_dim), 8);
  w->columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  w->scores = static_cast<float*>(a.scratch);
  w->key_scale = w->scores + kMaxRows * w->keys16;
  w->value_scale = w->key_scale + w->keys16;
  w->key_bias = w->value_scale + w->keys16;
  w->key_seen = reinterpret_cast<uint32_t*>(w->key_bias + w->keys16);
  w->keys = reinterpret_cast<int8_t*>(w->key_seen + w->keys16);
  w->values = reinterpret_cast<int16_t*>(w->keys + w->keys16 * w->head4);
  w->queries = reinterpret_cast<uint8_t*>(w->values + w->keys16 * w->columns16);
}

inline __m256i lane_mask(size_t count) {
  const int live = count < 8 ? static_cast<int>(count) : 8;
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(live), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Values [i, i + 8) of n, zeros beyond. kWhole: n is a multiple of 8.
template <bool kWhole>
inline __attribute__((always_inline)) __m256 load8(size_t n, const float* src, size_t i) {
  return kWhole || i + 8 <= n ? _mm256_loadu_ps(src + i) : _mm256_maskload_ps(src + i, lane_mask(n - i));
}

// Pointers to rows [first, first + kTileRows) of n; the last one stands for those behind.
struct RowsOfTile {
  const float* of[kTileRows];
  RowsOfTile(const float* src, ptrdiff_t stride, size_t first, size_t n) {
    const float* row = src + static_cast<ptrdiff_t>(first) * stride;
#pragma GCC unroll 4
    for (size_t r = 0; r < kTileRows; ++r) {
      of[r] = row;
      if (first + r + 1 < n) row += stride;
    }
  }
};

// Symmetric int8 scales of rows of n values and the factors that quantize them, four at a time: finding the ends of one row, and its two divisions, take
// longer than the rest. All rows before any is quantized, because then nothing waits for the factors. NaN of infinities and NaN, which a maximum of floats
// would lose.
template <bool kWhole>
__attribute__((noinline)) void scales_s8(size_t n, const float* src, ptrdiff_t stride, size_t rows, float* scale, float* inv) {
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  const __m128 zero = _mm_setzero_ps(), steps = _mm_set1_ps(kMaxQ8), nan = _mm_set1_ps(__builtin_nanf(""));
  for (size_t first = 0; first < rows; first += kTileRows) {
    const RowsOfTile tile(src, stride, first, rows);
    __m256i largest[kTileRows] = {};
    for (size_t i = 0; i < n; i += 8) {
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r)
        largest[r] = _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(load8<kWhole>(n, tile.of[r], i)), magnitude), largest[r]);
    }
    const __m128 absmax = reduce_4_rows<LargestBits>(_mm256_castsi256_ps(largest[0]), _mm256_castsi256_ps(largest[1]),
                                                     _mm256_castsi256_ps(largest[2]), _mm256_castsi256_ps(largest[3]));
    const __m128 none = _mm_cmplt_ps(absmax, _mm_set1_ps(kZeroRange));
    const __m128 some = _mm_andnot_ps(none, _mm_cmple_ps(absmax, _mm_set1_ps(kLargestFloat)));
    _mm_storeu_ps(scale + first, _mm_blendv_ps(_mm_blendv_ps(nan, zero, none), _mm_div_ps(absmax, steps), some));
    _mm_storeu_ps(inv + first, _mm_and_ps(some, _mm_div_ps(steps, absmax)));
  }
}

template <bool kWhole>
inline __attribute__((always_inline)) __m256i quantize8(size_t n, const float* src, size_t i, float inv) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(load8<kWhole>(n, src, i), _mm256_set1_ps(inv)));
}

inline __m128i to_int16(__m256i q) { return _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1)); }

// Values [i, i + 8) of four rows as bytes: i .. i + 3 of each row in one half, i + 4 .. i + 7 in the other.
template <bool kWhole>
inline __attribute__((always_inline)) __m256i bytes_of_four_rows(size_t n, const RowsOfTile& src, size_t i, const float* inv) {
  const __m256i low = _mm256_packs_epi32(quantize8<kWhole>(n, src.of[0], i, inv[0]), quantize8<kWhole>(n, src.of[1], i, inv[1]));
  const __m256i high = _mm256_packs_epi32(quantize8<kWhole>(n, src.of[2], i, inv[2]), quantize8<kWhole>(n, src.of[3], i, inv[3]));
  return _mm256_packs_epi16(low, high);
}

// What stands for keys beyond the last has no scale. The factors are in the room of key_bias.
template <bool kWhole>
__attribute__((noinline)) void pack_keys(const AttentionArgs& a, int8_t flip, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.head_dim), keys = static_cast<size_t>(a.seq_k), lines16 = 16 * w.head4;
  const float *k = a.k, *inv = w.key_bias;
  const ptrdiff_t stride = a.k_stride;
  int8_t* const packed = w.keys;
  scales_s8<kWhole>(n, k, stride, keys, w.key_scale, w.key_bias);
  for (size_t first = 0; first < keys; first += kTileRows, inv += kTileRows) {
    const RowsOfTile src(k, stride, first, keys);
    int8_t* line = packed + first / 16 * lines16 + first % 16 * 4;
    for (size_t i = 0; i < n; i += 8, line += 128) {
      const __m256i bytes = _mm256_xor_si256(bytes_of_four_rows<kWhole>(n, src, i, inv), _mm256_set1_epi8(flip));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(line), _mm256_castsi256_si128(bytes));
      if (kWhole || i + 4 < n) _mm_storeu_si128(reinterpret_cast<__m128i*>(line + 64), _mm256_extracti128_si256(bytes, 1));
    }
  }
  for (size_t j = keys; j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

// Scales of values that are NaN move over to those of their keys (contract/overflowed_values.h).
inline void move_overflowed_scales(const AttentionWork& w, size_t keys) {
  for (size_t j = 0; j < keys; j += kTileRows) {
    const __m128 scale = _mm_loadu_ps(w.value_scale + j), overflowed = _mm_cmpunord_ps(scale, scale);
    _mm_storeu_ps(w.value_scale + j, _mm_andnot_ps(overflowed, scale));
    _mm_storeu_ps(w.key_scale + j, _mm_blendv_ps(_mm_loadu_ps(w.key_scale + j), scale, overflowed));
  }
}

inline __attribute__((always_inline)) void store_pair(int16_t* pair, __m256i even, __m256i odd) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(pair), _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa));
}

template <bool kWhole>
__attribute__((noinline)) void pack_values(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k), columns16 = w.columns16;
  const float *v = a.v, *inv = w.key_bias;
  const ptrdiff_t stride = a.v_stride;
  int16_t* const packed = w.values;
  scales_s8<kWhole>(n, v, stride, keys, w.value_scale, w.key_bias);
  move_overflowed_scales(w, keys);
  for (size_t first = 0; first < keys; first += kTileRows, inv += kTileRows) {
    const RowsOfTile src(v, stride, first, keys);
    int16_t *pair = packed + first * columns16, *next = pair + 2 * columns16;
    for (size_t i = 0; i < n; i += 8, pair += 16, next += 16) {
      store_pair(pair, quantize8<kWhole>(n, src.of[0], i, inv[0]), quantize8<kWhole>(n, src.of[1], i, inv[1]));
      store_pair(next, quantize8<kWhole>(n, src.of[2], i, inv[2]), quantize8<kWhole>(n, src.of[3], i, inv[3]));
    }
  }
  for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
}

// Rows of int16, a tile of them w.head8 apart.
template <bool kWhole>
inline __attribute__((always_inline)) void store_queries(size_t n, const RowsOfTile& src, const float* inv, size_t head8, int16_t* dst, int32_t*) {
  for (size_t r = 0; r < kTileRows; ++r, dst += head8) {
    for (size_t i = 0; i < n; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), to_int16(quantize8<kWhole>(n, src.of[r], i, inv[r])));
  }
}
// int8, four values of each row of the tile in turns; and what a q + 128 of the keys adds.
template <bool kWhole>
inline __attribute__((always_inline)) void store_queries(size_t n, const RowsOfTile& src, const float* inv, size_t, int8_t* dst, int32_t* start) {
  __m256i sum = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 8) {
    const __m256i bytes = bytes_of_four_rows<kWhole>(n, src, i, inv);
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + 4 * i), bytes);
  }
  const __m128i of_row = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(start), _mm_sub_epi32(_mm_setzero_si128(), _mm_slli_epi32(of_row, 7)));
}

// Rows that pad the block repeat the last query and are never written out.
template <typename Mac, bool kWhole>
__attribute__((noinline)) void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  const float* q = a.q + static_cast<ptrdiff_t>(first) * a.q_stride;
  typename Mac::Query* dst = reinterpret_cast<typename Mac::Query*>(w->queries);
  alignas(16) float inv[kMaxRows];
  scales_s8<kWhole>(n, q, a.q_stride, rows, w->scale, inv);
  for (size_t tile = 0; tile < rows; tile += kTileRows, dst += kTileRows * w->head8) {
    const RowsOfTile src(q, a.q_stride, tile, rows);
    _mm_store_ps(w->scale + tile, _mm_mul_ps(_mm_load_ps(w->scale + tile), _mm_set1_ps(a.scale)));
    store_queries<kWhole>(n, src, inv + tile, w->head8, dst, w->start + tile);
  }
}

}  // namespace
}  // namespace ert::kernels
