// Scratch of the int8 attention of AVX512-VNNI and what goes in: keys, values and queries, quantized 16 rows at a time. One tree
// of shuffles finds 16 ranges, one division serves 16 rows. Internal linkage.
#pragma once

#include "kernels_int8/avx512vnni/lane_mask.h"
#include "kernels_int8/avx512vnni/reduce_rows.h"
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

constexpr size_t kPackRows = 16;  // rows quantized together
constexpr int kRows = 8;          // queries of a tile
constexpr int32_t kHidden = INT32_MIN;  // no sum of a key: 128 * 127 * params::kMaxExactDepth is below 2^31

struct Work {
  size_t keys16;     // keys rounded up to 16
  size_t head4;      // head_dim rounded up to 4
  size_t columns16;  // v_dim rounded up to 16
  float* scores;     // [kPackRows][keys16]: scores, then p
  int16_t* weights;  // [kPackRows][keys16]: P
  float* key_scale;  // 0 for absent keys, as value_scale
  float* value_scale;
  int32_t* key_start;  // -128 * sum of the key's int8 values: what q + 128 adds; kHidden for keys that are absent or hidden from all queries
  float* key_bias;     // added to every query's scores; -0 without a bias
  int8_t* keys;        // N16K4
  int16_t* values;     // per pair of keys: for each column (even key, odd key)
  uint8_t* queries;    // N16K4 of 16 queries, q + 128
};

template <class T>
T* take(uint8_t** p, size_t count) {
  T* t = reinterpret_cast<T*>(*p);
  *p += count * sizeof(T);  // a multiple of 64, always
  return t;
}

Work lay_out(const AttentionArgs& a) {
  Work w;
  w.keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w.head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w.columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  uint8_t* p = static_cast<uint8_t*>(a.scratch);
  w.scores = take<float>(&p, kPackRows * w.keys16);
  w.weights = take<int16_t>(&p, kPackRows * w.keys16);
  w.key_scale = take<float>(&p, w.keys16);
  w.value_scale = take<float>(&p, w.keys16);
  w.key_start = take<int32_t>(&p, w.keys16);
  w.key_bias = take<float>(&p, w.keys16);
  w.keys = take<int8_t>(&p, w.keys16 * w.head4);
  w.values = take<int16_t>(&p, w.keys16 * w.columns16);
  w.queries = take<uint8_t>(&p, kPackRows * w.head4);
  return w;
}

// Sixteen rows of n floats; rows beyond `count` repeat the first.
struct SourceRows {
  const float* row[kPackRows];
  size_t n;

  SourceRows(const float* src, ptrdiff_t stride, size_t count, size_t columns) : n(columns) {
    for (size_t r = 0; r < kPackRows; ++r) row[r] = src + (r < count ? static_cast<ptrdiff_t>(r) * stride : 0);
  }
  // Columns [i, i + 16) of row r, zeros beyond n.
  inline __attribute__((always_inline)) __m512 load(size_t r, size_t i) const {
    return _mm512_maskz_loadu_ps(lane_mask(n - i), row[r] + i);
  }
  inline __attribute__((always_inline)) __m512i quantize(size_t r, size_t i, const float* inv) const {
    return _mm512_cvtps_epi32(_mm512_mul_ps(load(r, i), _mm512_set1_ps(inv[r])));
  }
  void prefetch(ptrdiff_t distance) const {
    for (size_t r = 0; r < kPackRows; ++r) {
      for (size_t i = 0; i < n; i += 16) __builtin_prefetch(row[r] + distance + i);
    }
  }
};

// Symmetric int8 scales of 16 rows, and the factors that quantize them. NaN of rows with infinities and NaN.
inline __m512 scales_of(const SourceRows& src, float* inv) {
  __m512 largest[kPackRows];
#pragma GCC unroll 16
  for (size_t r = 0; r < kPackRows; ++r) largest[r] = _mm512_abs_ps(src.load(r, 0));
  for (size_t i = 16; i < src.n; i += 16) {
#pragma GCC unroll 16
    for (size_t r = 0; r < kPackRows; ++r) largest[r] = LargestBits::of(_mm512_abs_ps(src.load(r, i)), largest[r]);
  }
  const __m512 absmax = reduce_16_rows<LargestBits>(largest);
  const __mmask16 overflow = _mm512_cmp_ps_mask(absmax, _mm512_set1_ps(kLargestFloat), _CMP_NLE_UQ);
  const __mmask16 nonzero =
      _mm512_cmp_ps_mask(absmax, _mm512_set1_ps(kZeroRange), _CMP_GE_OQ) & static_cast<__mmask16>(~overflow);
  const __m512 max_q = _mm512_set1_ps(kMaxQ8);
  _mm512_storeu_ps(inv, _mm512_maskz_div_ps(nonzero, max_q, absmax));
  return _mm512_mask_mov_ps(_mm512_maskz_div_ps(nonzero, absmax, max_q), overflow, _mm512_set1_ps(__builtin_nanf("")));
}

// Columns [i, i + 16) of 16 rows as four lines of N16K4.
inline __attribute__((always_inline)) void four_lines(const SourceRows& src, size_t i, const float* inv, __m512i (&line)[4]) {
  __m512i t[4];  // four rows each; 128-bit part g holds their columns 4g .. 4g+3
#pragma GCC unroll 4
  for (size_t b = 0; b < 4; ++b) {
    const __m512i r01 = _mm512_packs_epi32(src.quantize(4 * b, i, inv), src.quantize(4 * b + 1, i, inv));
    const __m512i r23 = _mm512_packs_epi32(src.quantize(4 * b + 2, i, inv), src.quantize(4 * b + 3, i, inv));
    t[b] = _mm512_packs_epi16(r01, r23);
  }
  const __m512i low01 = _mm512_shuffle_i32x4(t[0], t[1], 0x44), high01 = _mm512_shuffle_i32x4(t[0], t[1], 0xee);
  const __m512i low23 = _mm512_shuffle_i32x4(t[2], t[3], 0x44), high23 = _mm512_shuffle_i32x4(t[2], t[3], 0xee);
  line[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
  line[1] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
  line[2] = _mm512_shuffle_i32x4(high01, high23, 0x88);
  line[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
}

void pack_keys(const AttentionArgs& a, const Work& w, size_t key) {
  const size_t count = static_cast<size_t>(a.seq_k) - key;
  const SourceRows src(a.k + static_cast<ptrdiff_t>(key) * a.k_stride, a.k_stride, count, static_cast<size_t>(a.head_dim));
  alignas(64) float inv[kPackRows];
  const __m512 scale = scales_of(src, inv);
  if (count > 2 * kPackRows) src.prefetch(static_cast<ptrdiff_t>(kPackRows) * a.k_stride);
  _mm512_storeu_ps(w.key_scale + key, _mm512_maskz_mov_ps(lane_mask(count), scale));
  int8_t* dst = w.keys + key * w.head4;
  __m512i sum = _mm512_setzero_si512();
  for (size_t i = 0; i < src.n; i += 16) {
    __m512i line[4];
    four_lines(src, i, inv, line);
#pragma GCC unroll 4
    for (size_t g = 0; g < 4; ++g, dst += 64) {
      if (i + 4 * g >= src.n) break;
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), line[g]);
      _mm512_storeu_si512(dst, line[g]);
    }
  }
  _mm512_storeu_si512(w.key_start + key, _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sum, 7)));
}

void pack_values(const AttentionArgs& a, const Work& w, size_t key) {
  const size_t count = static_cast<size_t>(a.seq_k) - key;
  const SourceRows src(a.v + static_cast<ptrdiff_t>(key) * a.v_stride, a.v_stride, count, static_cast<size_t>(a.v_dim));
  alignas(64) float inv[kPackRows];
  const __m512 scale = scales_of(src, inv);
  if (count > 2 * kPackRows) src.prefetch(static_cast<ptrdiff_t>(kPackRows) * a.v_stride);
  const __mmask16 overflow = _mm512_cmp_ps_mask(scale, scale, _CMP_UNORD_Q);  // as scale_of_values
  _mm512_mask_storeu_ps(w.key_scale + key, overflow & lane_mask(count), scale);
  _mm512_storeu_ps(w.value_scale + key, _mm512_maskz_mov_ps(lane_mask(count) & static_cast<__mmask16>(~overflow), scale));
  int16_t* dst = w.values + key * w.columns16;
  for (size_t i = 0; i < src.n; i += 16) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kPackRows; r += 2) {
      const __m512i odd = _mm512_slli_epi32(src.quantize(r + 1, i, inv), 16);
      const __m512i pairs = _mm512_mask_blend_epi16(0xaaaaaaaa, src.quantize(r, i, inv), odd);
      _mm512_storeu_si512(dst + r * w.columns16 + 2 * i, pairs);
    }
  }
}

// Queries [first, first + 16), those beyond seq_q repeat the first.
void pack_queries(const AttentionArgs& a, const Work& w, size_t first, float* scale) {
  const size_t count = static_cast<size_t>(a.seq_q) - first;
  const SourceRows src(a.q + static_cast<ptrdiff_t>(first) * a.q_stride, a.q_stride, count, static_cast<size_t>(a.head_dim));
  alignas(64) float inv[kPackRows];
  _mm512_storeu_ps(scale, _mm512_mul_ps(scales_of(src, inv), _mm512_set1_ps(a.scale)));
  if (count > 2 * kPackRows) src.prefetch(static_cast<ptrdiff_t>(kPackRows) * a.q_stride);
  uint8_t* dst = w.queries;
  for (size_t i = 0; i < src.n; i += 16) {
    __m512i line[4];
    four_lines(src, i, inv, line);
#pragma GCC unroll 4
    for (size_t g = 0; g < 4; ++g, dst += 64) {
      if (i + 4 * g >= src.n) break;
      _mm512_storeu_si512(dst, _mm512_xor_si512(line[g], _mm512_set1_epi8(-128)));
    }
  }
}

}  // namespace
}  // namespace ert::kernels
