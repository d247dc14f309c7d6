// int8 attention of one head for AVX512-VNNI, 8 query rows at a time. Keys are quantized and transposed to N16K4 once per
// call, as u8 (q + 128), so that the correction is one number per query. Values become int8 in pairs of keys, which
// vpdpwssd multiplies by pairs of P.

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/simd/lanes16_avx512.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/kernel_table.h"
#include "kernels_int8/math_constants.h"

namespace ert::kernels {
namespace {

constexpr size_t kKeyBlock = 1024;  // sums of P * v over so many keys fit int32
constexpr int kMaxRows = 8;

struct Row {
  const int8_t* query;
  float* scores;  // [keys16]: scores, then p, then P as int16
  float scale;    // of the query, times the scale on QK^T
  int32_t start;  // -128 * sum of the query's int8 values
  float max;
  float factor;  // from the sum of P * v to the output; 0 where the query sees nothing
};

struct Work {
  size_t keys16;     // keys rounded up to 16
  size_t head4;      // head_dim rounded up to 4
  size_t columns16;  // v_dim rounded up to 16
  uint8_t* keys;     // N16K4, q + 128
  int8_t* values;    // per pair of keys: for each column (even key, odd key)
  float* key_scale;
  float* value_scale;
  int8_t* queries;  // [kMaxRows][head4 rounded up to 16]
  float* scores;    // [kMaxRows][keys16]
  Row row[kMaxRows];
};

Work lay_out(const AttentionArgs& a) {
  Work w;
  w.keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w.head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w.columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  uint8_t* p = static_cast<uint8_t*>(a.scratch);
  w.scores = reinterpret_cast<float*>(p);
  p += kMaxRows * w.keys16 * sizeof(float);
  w.key_scale = reinterpret_cast<float*>(p);
  p += w.keys16 * sizeof(float);
  w.value_scale = reinterpret_cast<float*>(p);
  p += w.keys16 * sizeof(float);
  w.keys = p;
  p += w.keys16 * w.head4;
  w.values = reinterpret_cast<int8_t*>(p);
  p += w.keys16 * w.columns16;
  w.queries = reinterpret_cast<int8_t*>(p);
  return w;
}

inline __mmask16 lane_mask(size_t count) { return count >= 16 ? 0xffff : static_cast<__mmask16>((1u << count) - 1); }

// Symmetric int8 scale of n values and the factor that quantizes them.
inline float scale_s8(size_t n, const float* src, float* inv) {
  __m512 largest = _mm512_setzero_ps();
  for (size_t i = 0; i < n; i += 16) {
    largest = _mm512_max_ps(_mm512_abs_ps(_mm512_maskz_loadu_ps(lane_mask(n - i), src + i)), largest);
  }
  const float absmax = _mm512_reduce_max_ps(largest);
  *inv = absmax >= kZeroRange ? kMaxQ8 / absmax : 0.0f;
  return absmax >= kZeroRange ? absmax / kMaxQ8 : 0.0f;
}

// Values [i, i + 16) of n as int8, zeros beyond n.
inline __m512i quantize16(size_t n, const float* src, size_t i, float inv) {
  const __m512 x = _mm512_maskz_loadu_ps(lane_mask(n - i), src + i);
  return _mm512_cvtps_epi32(_mm512_mul_ps(x, _mm512_set1_ps(inv)));
}

void pack_keys(const AttentionArgs& a, const Work& w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); ++j) {
    const float* src = a.k + static_cast<ptrdiff_t>(j) * a.k_stride;
    float inv;
    w.key_scale[j] = scale_s8(n, src, &inv);
    uint8_t* line = w.keys + j / 16 * 16 * w.head4 + j % 16 * 4;
    for (size_t i = 0; i < n; i += 16) {
      alignas(16) uint8_t bytes[16];
      const __m128i q = _mm_xor_si128(_mm512_cvtsepi32_epi8(quantize16(n, src, i, inv)), _mm_set1_epi8(-128));
      _mm_store_si128(reinterpret_cast<__m128i*>(bytes), q);
      for (size_t g = 0; g < 4 && i + 4 * g < n; ++g) memcpy(line + (i + 4 * g) * 16, bytes + 4 * g, 4);
    }
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

void pack_values(const AttentionArgs& a, const Work& w) {
  const size_t n = static_cast<size_t>(a.v_dim);
  const size_t keys = static_cast<size_t>(a.seq_k);
  for (size_t j = 0; j < keys; j += 2) {
    const float* even = a.v + static_cast<ptrdiff_t>(j) * a.v_stride;
    const float* odd = j + 1 < keys ? even + a.v_stride : even;
    float even_inv, odd_inv;
    w.value_scale[j] = scale_s8(n, even, &even_inv);
    w.value_scale[j + 1] = scale_s8(n, odd, &odd_inv);
    int8_t* line = w.values + j * w.columns16;
    for (size_t i = 0; i < n; i += 16, line += 32) {
      const __m512i q_even = quantize16(n, even, i, even_inv);
      const __m512i q_odd = quantize16(n, odd, i, odd_inv);
      const __m512i pairs = _mm512_or_si512(_mm512_and_si512(q_even, _mm512_set1_epi32(0xffff)), _mm512_slli_epi32(q_odd, 16));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(line), _mm512_cvtepi16_epi8(pairs));
    }
  }
  for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
}

// Rows that pad the block repeat the first query and are never written out.
void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, size_t padded_rows, Work* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  const size_t row_bytes = round_up(w->head4, 16);
  for (size_t r = 0; r < padded_rows; ++r) {
    Row& row = w->row[r];
    int8_t* dst = w->queries + r * row_bytes;
    row = {dst, w->scores + r * w->keys16, 0.0f, 0, 0.0f, 0.0f};
    const float* src = a.q + static_cast<ptrdiff_t>(first + (r < rows ? r : 0)) * a.q_stride;
    float inv;
    row.scale = scale_s8(n, src, &inv) * a.scale;
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += 16) {
      const __m512i q = quantize16(n, src, i, inv);
      sum = _mm512_add_epi32(sum, q);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), _mm512_cvtsepi32_epi8(q));
    }
    row.start = -128 * _mm512_reduce_add_epi32(sum);
  }
}

// Scores of kRows queries against kPanels * 16 keys; keeps the running maximum per lane.
template <int kRows, int kPanels>
__attribute__((noinline)) void score_tile(const Work& w, size_t key, size_t keys, __m512* max) {
  __m512i acc[kRows][kPanels];
  const int8_t* query[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    query[r] = w.row[r].query;
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = _mm512_set1_epi32(w.row[r].start);
  }
  const uint8_t* panel = w.keys + key * w.head4;
  const size_t panel_bytes = 16 * w.head4;
  for (size_t kk = 0; kk < w.head4; kk += 4, panel += 64) {
    __m512i line[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(panel + p * panel_bytes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      int32_t word;
      memcpy(&word, query[r] + kk, sizeof(word));
      const __m512i query4 = _mm512_set1_epi32(word);
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc[r][p]) : "v"(line[p]), "v"(query4));
    }
  }
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  const __mmask16 last = lane_mask(keys - 16 * (kPanels - 1));
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const __m512 row_scale = _mm512_set1_ps(w.row[r].scale);
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const __m512 scale = _mm512_mul_ps(row_scale, _mm512_loadu_ps(w.key_scale + key + 16 * p));
      __m512 s = _mm512_mul_ps(_mm512_cvtepi32_ps(acc[r][p]), scale);
      if (p + 1 == kPanels) s = _mm512_mask_mov_ps(minus_infinity, last, s);
      _mm512_storeu_ps(w.row[r].scores + key + 16 * p, s);
      max[r] = _mm512_max_ps(s, max[r]);
    }
  }
}

template <int kRows>
void scores(size_t keys, Work* w) {
  __m512 max[kRows];
  for (int r = 0; r < kRows; ++r) max[r] = _mm512_set1_ps(-__builtin_inff());
  for (size_t key = 0; key < keys;) {
    const size_t left = keys - key;
    if (left > 32) {
      score_tile<kRows, 3>(*w, key, left, max);
      key += 48;
    } else {
      score_tile<kRows, 1>(*w, key, left, max);
      key += 16;
    }
  }
  for (int r = 0; r < kRows; ++r) w->row[r].max = _mm512_reduce_max_ps(max[r]);
}

// Adds the bias and takes out keys that query i does not see; the row maximum is found again.
void mask_row(const AttentionArgs& a, size_t i, Row* row) {
  const int64_t last_seen = a.causal_offset == INT32_MAX ? a.seq_k : static_cast<int64_t>(i) + a.causal_offset + 1;
  const size_t seen = last_seen < 0 ? 0 : last_seen < a.seq_k ? static_cast<size_t>(last_seen) : static_cast<size_t>(a.seq_k);
  const float* bias = a.bias == nullptr ? nullptr : a.bias + static_cast<ptrdiff_t>(i) * a.bias_stride;
  const uint8_t* mask = a.mask == nullptr ? nullptr : a.mask + static_cast<ptrdiff_t>(i) * a.mask_stride;
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  __m512 max = minus_infinity;
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); j += 16) {
    __mmask16 live = j < seen ? lane_mask(seen - j) : 0;
    if (mask != nullptr) {
      const __m128i bytes = _mm_maskz_loadu_epi8(live, mask + j);
      live &= _mm_test_epi8_mask(bytes, bytes);
    }
    __m512 s = _mm512_loadu_ps(row->scores + j);
    if (bias != nullptr) s = _mm512_add_ps(s, _mm512_maskz_loadu_ps(live, bias + j));
    s = _mm512_mask_mov_ps(minus_infinity, live, s);
    _mm512_storeu_ps(row->scores + j, s);
    max = _mm512_max_ps(s, max);
  }
  row->max = _mm512_reduce_max_ps(max);
}

// Scores to p = exp(score - max) * value scale. Rows without any key get zeros.
void exponentials(const Work& w, const Row& row, __m512* sum_out, __m512* largest_out) {
  __m512 sum = _mm512_setzero_ps();
  __m512 largest = _mm512_setzero_ps();
  const __m512 row_max = _mm512_set1_ps(row.max == -__builtin_inff() ? 0.0f : row.max);
  for (size_t j = 0; j < w.keys16; j += 16) {
    const __m512 e = exp_or_zero_nan(Lanes{_mm512_sub_ps(_mm512_loadu_ps(row.scores + j), row_max)}).v;
    const __m512 p = _mm512_mul_ps(e, _mm512_loadu_ps(w.value_scale + j));
    sum = _mm512_add_ps(sum, e);
    largest = _mm512_max_ps(p, largest);
    _mm512_storeu_ps(row.scores + j, p);
  }
  *sum_out = sum;
  *largest_out = largest;
}

// p to P in place.
void quantize_p(const Work& w, float inv, float* p) {
  const __m512 inv16 = _mm512_set1_ps(inv);
  __m256i* out = reinterpret_cast<__m256i*>(p);
  for (size_t j = 0; j < w.keys16; j += 16, ++out) {
    _mm256_storeu_si256(out, _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(p + j), inv16))));
  }
}

// In phases over all rows, because the reductions of one row are a long chain.
template <int kRows>
void weights(Work* w) {
  __m512 sum[kRows], largest[kRows];
  float inv[kRows];
  for (int r = 0; r < kRows; ++r) exponentials(*w, w->row[r], &sum[r], &largest[r]);
  for (int r = 0; r < kRows; ++r) {
    const float pmax = _mm512_reduce_max_ps(largest[r]);
    const bool sees = pmax >= kZeroRange;
    inv[r] = sees ? kMaxQ16 / pmax : 0.0f;
    w->row[r].factor = sees ? pmax / kMaxQ16 / total(Lanes{sum[r]}) : 0.0f;
  }
  for (int r = 0; r < kRows; ++r) quantize_p(*w, inv[r], w->row[r].scores);
}

// acc = sum over the keys [first, end) of P times kLines * 16 columns of V.
template <int kRows, int kLines>
inline __attribute__((always_inline)) void accumulate_values(__m512i (&acc)[kRows][kLines], const Work& w, size_t first,
                                                             size_t end, size_t column) {
  const uint8_t* p[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    p[r] = reinterpret_cast<const uint8_t*>(w.row[r].scores);
#pragma GCC unroll 16
    for (int c = 0; c < kLines; ++c) acc[r][c] = _mm512_setzero_si512();
  }
  const int8_t* pair = w.values + first * w.columns16 + 2 * column;
  for (size_t j = first; j < end; j += 2, pair += 2 * w.columns16) {
    __m512i line[kLines];
#pragma GCC unroll 16
    for (int c = 0; c < kLines; ++c) {
      line[c] = _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair + 32 * c)));
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      int32_t word;
      memcpy(&word, p[r] + 2 * j, sizeof(word));
      const __m512i p2 = _mm512_set1_epi32(word);
#pragma GCC unroll 16
      for (int c = 0; c < kLines; ++c) __asm__("vpdpwssd %2, %1, %0" : "+v"(acc[r][c]) : "v"(p2), "v"(line[c]));
    }
  }
}

template <int kRows, int kLines>
__attribute__((noinline)) void value_tile(const AttentionArgs& a, const Work& w, size_t first, size_t rows, size_t column) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  __m512 sums[kRows][kLines];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kLines; ++c) sums[r][c] = _mm512_setzero_ps();
  }
  for (size_t block = 0; block < keys; block += kKeyBlock) {
    __m512i acc[kRows][kLines];
    accumulate_values<kRows, kLines>(acc, w, block, keys - block < kKeyBlock ? keys : block + kKeyBlock, column);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int c = 0; c < kLines; ++c) sums[r][c] = _mm512_add_ps(sums[r][c], _mm512_cvtepi32_ps(acc[r][c]));
    }
  }
  const __mmask16 last = lane_mask(static_cast<size_t>(a.v_dim) - column - 16 * (kLines - 1));
  for (size_t r = 0; r < rows; ++r) {
    float* dst = a.dst + static_cast<ptrdiff_t>(first + r) * a.dst_stride + column;
    const __m512 factor = _mm512_set1_ps(w.row[r].factor);
    for (int c = 0; c < kLines; ++c) {
      _mm512_mask_storeu_ps(dst + 16 * c, c + 1 == kLines ? last : 0xffff, _mm512_mul_ps(sums[r][c], factor));
    }
  }
}

template <int kRows>
void query_block(const AttentionArgs& a, size_t first, size_t rows, Work* w) {
  quantize_queries(a, first, rows, kRows, w);
  scores<kRows>(static_cast<size_t>(a.seq_k), w);
  const bool masked = a.bias != nullptr || a.mask != nullptr || a.causal_offset != INT32_MAX;
  if (masked) {
    for (size_t r = 0; r < rows; ++r) mask_row(a, first + r, &w->row[r]);
  }
  weights<kRows>(w);
  const size_t columns = static_cast<size_t>(a.v_dim);
  for (size_t column = 0; column < columns;) {
    if (columns - column > 16) {
      value_tile<kRows, 2>(a, *w, first, rows, column);
      column += 32;
    } else {
      value_tile<kRows, 1>(a, *w, first, rows, column);
      column += 16;
    }
  }
}

}  // namespace

void attention_f32_qs8_qs8_8x48_avx512vnni(const AttentionArgs& a) {
  Work w = lay_out(a);
  pack_keys(a, w);
  pack_values(a, w);
  const size_t queries = static_cast<size_t>(a.seq_q);
  size_t blocks = (queries + kMaxRows - 1) / kMaxRows;
  for (size_t first = 0; first < queries; --blocks) {
    const size_t rows = (queries - first + blocks - 1) / blocks;
    query_block<kMaxRows>(a, first, rows, &w);
    first += rows;
  }
}

}  // namespace ert::kernels
