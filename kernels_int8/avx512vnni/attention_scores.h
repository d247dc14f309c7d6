// Scores of the int8 attention of AVX512-VNNI: products of a tile's queries with all keys, bias and mask, running maxima. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx512vnni/lanes16_avx512.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx512vnni/attention_packing.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// Scores of a tile's queries against kPanels * 16 keys; keeps the running maximum per lane.
template <int kPanels>
__attribute__((noinline)) void score_tile(const Work& w, const uint8_t* queries, const float* query_scale, float* dst, size_t key,
                                          __m512* max) {
  __m512i acc[kRows][kPanels];
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    const __m512i start = _mm512_loadu_si512(w.key_start + key + 16 * p);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) acc[r][p] = start;
  }
  const int8_t* panel = w.keys + key * w.head4;
  const size_t panel_bytes = 16 * w.head4;
  for (size_t kk = 0; kk < w.head4; kk += 4, panel += 64, queries += 64) {
    __m512i line[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(panel + p * panel_bytes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      int32_t word;
      memcpy(&word, queries + 4 * r, sizeof(word));
      const __m512i query4 = _mm512_set1_epi32(word);
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc[r][p]) : "v"(query4), "v"(line[p]));
    }
  }
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  __mmask16 live[kPanels];
  __m512 key_scale[kPanels], key_bias[kPanels];
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    live[p] = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(w.key_start + key + 16 * p), _mm512_set1_epi32(kHidden));
    key_scale[p] = _mm512_loadu_ps(w.key_scale + key + 16 * p);
    key_bias[p] = _mm512_loadu_ps(w.key_bias + key + 16 * p);
  }
  dst += key;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, dst += w.keys16) {
    const __m512 row_scale = _mm512_set1_ps(query_scale[r]);
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(acc[r][p]), _mm512_mul_ps(row_scale, key_scale[p]));
      const __m512 s = _mm512_mask_add_ps(minus_infinity, live[p], scaled, key_bias[p]);
      _mm512_storeu_ps(dst + 16 * p, s);
      max[r] = _mm512_max_ps(s, max[r]);
    }
  }
}

void scores(size_t keys, const Work& w, const uint8_t* queries, const float* query_scale, float* dst, __m512* max) {
  for (int r = 0; r < kRows; ++r) max[r] = _mm512_set1_ps(-__builtin_inff());
  for (size_t key = 0; key < keys;) {
    const size_t left = keys - key;
    if (left > 64 || (left > 32 && left <= 48)) {
      score_tile<3>(w, queries, query_scale, dst, key, max);
      key += 48;
    } else if (left > 16) {
      score_tile<2>(w, queries, query_scale, dst, key, max);
      key += 32;
    } else {
      score_tile<1>(w, queries, query_scale, dst, key, max);
      key += 16;
    }
  }
}

// What the score tiles apply: bias and mask if they are the same for all queries, and the end of the keys, which are packed.
void lay_out_key_row(const AttentionArgs& a, const Work& w) {
  const bool same = same_for_all_queries(a);
  const float* bias = same ? a.bias : nullptr;
  const uint8_t* mask = same ? a.mask : nullptr;
  for (size_t j = 0; j < w.keys16; j += 16) {
    __mmask16 live = lane_mask(static_cast<size_t>(a.seq_k) - j);
    _mm512_storeu_ps(w.key_bias + j, bias != nullptr ? _mm512_maskz_loadu_ps(live, bias + j) : _mm512_set1_ps(-0.0f));
    if (mask != nullptr) {
      const __m128i bytes = _mm_maskz_loadu_epi8(live, mask + j);
      live &= _mm_test_epi8_mask(bytes, bytes);
    }
    _mm512_storeu_si512(w.key_start + j, _mm512_mask_mov_epi32(_mm512_set1_epi32(kHidden), live, _mm512_loadu_si512(w.key_start + j)));
  }
}

// Adds the bias and takes out keys that query i does not see; returns the row maximum per lane.
__m512 mask_row(const AttentionArgs& a, size_t i, float* scores_of_row) {
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
    __m512 s = _mm512_loadu_ps(scores_of_row + j);
    if (bias != nullptr) s = _mm512_add_ps(s, _mm512_maskz_loadu_ps(live, bias + j));
    s = _mm512_mask_mov_ps(minus_infinity, live, s);
    _mm512_storeu_ps(scores_of_row + j, s);
    max = _mm512_max_ps(s, max);
  }
  return max;
}

}  // namespace
}  // namespace ert::kernels
