// Scratch of the int8 attention of AVX2 and AVX-VNNI and what goes in: keys, values and queries, quantized. `Mac` is what attention_rows.h
// says. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/overflowed_values.h"

namespace ert::kernels {
namespace {

constexpr int kTileRows = 4;
constexpr int kMaxRows = 8;

struct AttentionRow {
  float* scores;  // [keys16]: scores, then p, then P as int16
  float scale;    // of the query, times the scale on QK^T
  float max;
  float factor;  // from the sum of P * v to the output; 0 where the query sees nothing
};

struct AttentionWork {
  size_t keys16;     // keys rounded up to 16
  size_t head4;      // head_dim rounded up to 4
  size_t head8;      // head_dim rounded up to 8: elements of a query row
  size_t columns16;  // v_dim rounded up to 16
  float* key_scale;
  float* value_scale;
  int8_t* keys;    // N16K4
  int8_t* values;  // per pair of keys: for each column (even key, odd key)
  uint8_t* queries;
  AttentionRow row[kMaxRows];
  int32_t start[kMaxRows];  // -128 * sum of the query's int8 values
};

inline void lay_out(const AttentionArgs& a, AttentionWork* w) {
  w->keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w->head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w->head8 = round_up(static_cast<size_t>(a.head_dim), 8);
  w->columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  float* scores = static_cast<float*>(a.scratch);
  for (int r = 0; r < kMaxRows; ++r) w->row[r] = {scores + r * w->keys16, 0.0f, 0.0f, 0.0f};
  w->key_scale = scores + kMaxRows * w->keys16;
  w->value_scale = w->key_scale + w->keys16;
  w->keys = reinterpret_cast<int8_t*>(w->value_scale + w->keys16);
  w->values = w->keys + w->keys16 * w->head4;
  w->queries = reinterpret_cast<uint8_t*>(w->values + w->keys16 * w->columns16);
}

inline __m256i lane_mask(size_t count) {
  const int live = count < 8 ? static_cast<int>(count) : 8;
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(live), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Values [i, i + 8) of n, zeros beyond.
inline __attribute__((always_inline)) __m256 load8(size_t n, const float* src, size_t i) {
  return i + 8 <= n ? _mm256_loadu_ps(src + i) : _mm256_maskload_ps(src + i, lane_mask(n - i));
}

inline float max_of_lanes(__m256 x) {
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

// The float of the largest bits, none of them negative.
inline float float_of_largest(__m256i x) {
  __m128i y = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  y = _mm_max_epi32(y, _mm_shuffle_epi32(y, 0x4e));
  y = _mm_max_epi32(y, _mm_shuffle_epi32(y, 0xb1));
  return _mm_cvtss_f32(_mm_castsi128_ps(y));
}

// Symmetric int8 scale of n values and the factor that quantizes them. NaN of infinities and NaN, which a maximum of floats would lose.
inline float scale_s8(size_t n, const float* src, float* inv) {
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  __m256i largest = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 8)
    largest = _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(load8(n, src, i)), magnitude), largest);
  const float absmax = float_of_largest(largest);
  *inv = 0.0f;
  if (absmax < kZeroRange) return 0.0f;
  if (!(absmax <= kLargestFloat)) return __builtin_nanf("");
  *inv = kMaxQ8 / absmax;
  return absmax / kMaxQ8;
}

inline __attribute__((always_inline)) __m256i quantize8(size_t n, const float* src, size_t i, float inv) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(load8(n, src, i), _mm256_set1_ps(inv)));
}

inline __m128i to_int16(__m256i q) { return _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1)); }

inline void pack_keys(const AttentionArgs& a, int8_t flip, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); ++j) {
    const float* src = a.k + static_cast<ptrdiff_t>(j) * a.k_stride;
    float inv;
    w.key_scale[j] = scale_s8(n, src, &inv);
    int8_t* line = w.keys + j / 16 * 16 * w.head4 + j % 16 * 4;
    for (size_t i = 0; i < n; i += 8) {
      const __m128i q = to_int16(quantize8(n, src, i, inv));
      const __m128i bytes = _mm_xor_si128(_mm_packs_epi16(q, q), _mm_set1_epi8(flip));
      const int32_t first = _mm_cvtsi128_si32(bytes);
      const int32_t second = _mm_extract_epi32(bytes, 1);
      memcpy(line + i * 16, &first, 4);
      if (i + 4 < n) memcpy(line + (i + 4) * 16, &second, 4);
    }
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

inline void pack_values(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.v_dim);
  const size_t keys = static_cast<size_t>(a.seq_k);
  for (size_t j = 0; j < keys; j += 2) {
    const float* even = a.v + static_cast<ptrdiff_t>(j) * a.v_stride;
    const float* odd = j + 1 < keys ? even + a.v_stride : even;
    float even_inv, odd_inv;
    w.value_scale[j] = scale_of_values(scale_s8(n, even, &even_inv), &w.key_scale[j]);
    w.value_scale[j + 1] = scale_of_values(scale_s8(n, odd, &odd_inv), &w.key_scale[j + 1]);
    int8_t* pair = w.values + j * w.columns16;
    for (size_t i = 0; i < n; i += 8, pair += 16) {
      const __m256i q_even = _mm256_and_si256(quantize8(n, even, i, even_inv), _mm256_set1_epi32(0xffff));
      const __m256i both = _mm256_or_si256(q_even, _mm256_slli_epi32(quantize8(n, odd, i, odd_inv), 16));
      const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(pair), bytes);
    }
  }
  for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
}

// Rows that pad the block repeat the first query and are never written out.
template <typename Mac>
void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, size_t padded_rows, AttentionWork* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  typename Mac::Query* dst = reinterpret_cast<typename Mac::Query*>(w->queries);
  for (size_t r = 0; r < padded_rows; ++r, dst += w->head8) {
    const float* src = a.q + static_cast<ptrdiff_t>(first + (r < rows ? r : 0)) * a.q_stride;
    float inv;
    w->row[r].scale = scale_s8(n, src, &inv) * a.scale;
    __m128i sum = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += 8) {
      const __m128i q = to_int16(quantize8(n, src, i, inv));
      sum = _mm_add_epi32(sum, _mm_madd_epi16(q, _mm_set1_epi16(1)));
      if (sizeof(typename Mac::Query) == 2) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), q);
      } else {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(dst + i), _mm_packs_epi16(q, q));
      }
    }
    sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
    w->start[r] = -128 * (_mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 1));
  }
}

}  // namespace
}  // namespace ert::kernels
