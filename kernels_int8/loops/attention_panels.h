// int8 attention of one head for levels whose integer loop multiplies a row with two columns of N2K16 (dsp, mve): K is packed as such
// panels, a key a column, and V transposed, an element a column and the keys as k. ref/attention_f32_qs8_qs8_1x1_ref.cc operation by
// operation. Internal linkage. The level gives
//   size_t q_bytes(k16), p_bytes(k16)                     of a quantized query and of P, for k rounded up to 16
//   void put_q(uint8_t* row, size_t at, int32_t q)
//   void dot_q(int32_t (&sums)[2], const uint8_t* row, const int8_t* panel, size_t k16)
//   void dot_p(int32_t (&sums)[2], const uint8_t* row, size_t first, size_t k16, const int8_t* panel)    P from key `first` on
//   float weights(size_t n, float* scores)                scores -> e, returns their sum as exp_scores does
//   float quantize_p(size_t n, const float* e, const float* v_scale, uint8_t* row)   P; pmax / 16256, or 0 if every p is zero
#pragma once

#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/contract/overflowed_values.h"
#include "kernels_int8/ref/attention_row.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {
namespace {

// n values to int8, returns the scale.
template <class Put>
inline float quantize_symmetric(int32_t n, const float* src, const Put& put) {
  F32 inv;
  const float scale = symmetric_scale(static_cast<size_t>(n), src, &inv);
  for (int32_t i = 0; i < n; ++i) put(static_cast<size_t>(i), round_to_int(F32(src[i]) * inv));
  return scale;
}

// Within attention_scratch_bytes; every part starts at a multiple of 16.
struct PanelScratch {
  size_t keys16, head16;
  float *scores, *k_scale, *v_scale;  // keys16 each
  int8_t *k, *v;
  uint8_t *q, *p;
};

template <class Level>
inline PanelScratch carve(const AttentionArgs& a) {
  PanelScratch s;
  s.keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  s.head16 = round_up(static_cast<size_t>(a.head_dim), 16);
  s.scores = static_cast<float*>(a.scratch);
  s.k_scale = s.scores + s.keys16;
  s.v_scale = s.k_scale + s.keys16;
  s.q = static_cast<uint8_t*>(static_cast<void*>(s.v_scale + s.keys16));
  s.p = s.q + Level::q_bytes(s.head16);
  s.k = static_cast<int8_t*>(static_cast<void*>(s.p + Level::p_bytes(s.keys16)));
  s.v = s.k + s.keys16 * s.head16;
  return s;
}

// Byte of k in a column of a panel that holds `depth` k.
inline size_t panel_place(size_t column, size_t k, size_t depth) {
  return column / 2 * (2 * depth) + k / 16 * 32 + column % 2 * 16 + k % 16;
}

inline void pack_keys_and_values(const AttentionArgs& a, const PanelScratch& s) {
  const size_t values16 = round_up(static_cast<size_t>(a.v_dim), 16);
  memset(s.k, 0, s.keys16 * (s.head16 + values16));
  for (int32_t j = 0; j < a.seq_k; ++j) {
    const size_t key = static_cast<size_t>(j);
    s.k_scale[j] = quantize_symmetric(a.head_dim, a.k + j * a.k_stride,
                                      [&](size_t d, int32_t q) { s.k[panel_place(key, d, s.head16)] = static_cast<int8_t>(q); });
    const float v_scale = quantize_symmetric(
        a.v_dim, a.v + j * a.v_stride, [&](size_t d, int32_t q) { s.v[panel_place(d, key, s.keys16)] = static_cast<int8_t>(q); });
    s.v_scale[j] = scale_of_values(v_scale, &s.k_scale[j]);
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < s.keys16; ++j) s.v_scale[j] = 0.0f;
}

template <class Level>
inline void score_row(const AttentionArgs& a, const PanelScratch& s, int32_t i) {
  const float q_scale =
      quantize_symmetric(a.head_dim, a.q + i * a.q_stride, [&](size_t d, int32_t q) { Level::put_q(s.q, d, q); });
  const F32 row_scale = F32(q_scale) * F32(a.scale);
  for (int32_t j = 0; j < a.seq_k; j += 2) {
    int32_t sums[2];
    Level::dot_q(sums, s.q, s.k + static_cast<size_t>(j) * s.head16, s.head16);
    for (int32_t c = 0; c < 2 && j + c < a.seq_k; ++c) {
      const F32 score = F32(static_cast<float>(sums[c])) * (row_scale * F32(s.k_scale[j + c]));
      s.scores[j + c] = to_float(final_score(a, i, j + c, score));
    }
  }
}

// Two neighbouring elements of the output row: exact sums of a block of keys, the blocks added in order in fp32.
template <class Level>
inline void weighted_sums(const AttentionArgs& a, const PanelScratch& s, size_t d, F32 (&totals)[2]) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  for (size_t first = 0; first < keys; first += kKeyBlock) {
    const size_t left = round_up(keys - first, 16);
    int32_t sums[2];
    Level::dot_p(sums, s.p, first, left < kKeyBlock ? left : kKeyBlock, s.v + d * s.keys16 + first * 2);
    for (int c = 0; c < 2; ++c) {
      const F32 block = static_cast<float>(sums[c]);
      totals[c] = first == 0 ? block : totals[c] + block;
    }
  }
}

template <class Level>
inline void attention_of_panels(const AttentionArgs& a) {
  const PanelScratch s = carve<Level>(a);
  const size_t keys = static_cast<size_t>(a.seq_k);
  pack_keys_and_values(a, s);
  for (int32_t i = 0; i < a.seq_q; ++i) {
    score_row<Level>(a, s, i);
    const F32 sum = Level::weights(keys, s.scores);
    float p_scale = 0.0f;
    if (sum > F32(0.0f)) {
      for (size_t j = keys; j < s.keys16; ++j) s.scores[j] = 0.0f;
      p_scale = Level::quantize_p(s.keys16, s.scores, s.v_scale, s.p);
    }
    if (p_scale == 0.0f) {
      fill_row(a, i, sum);
      continue;
    }
    const F32 factor = F32(p_scale) / sum;
    for (int32_t d = 0; d < a.v_dim; d += 2) {
      F32 totals[2] = {F32(0.0f), F32(0.0f)};
      weighted_sums<Level>(a, s, static_cast<size_t>(d), totals);
      for (int32_t c = 0; c < 2 && d + c < a.v_dim; ++c) a.dst[i * a.dst_stride + d + c] = to_float(totals[c] * factor);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
