// int8 attention of one head: q, k and v symmetric int8 per row, P = exp(score - max) * sv in 14 bits (two digits).
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/contract/overflowed_values.h"
#include "kernels_int8/ref/attention_row.h"
#include "kernels_int8/ref/quantize_row.h"

namespace ert::kernels {
namespace {

// n values to int8, returns the scale.
float quantize_symmetric(int32_t n, const float* src, int8_t* dst) {
  F32 inv;
  const float scale = symmetric_scale(static_cast<size_t>(n), src, &inv);
  for (int32_t i = 0; i < n; ++i) dst[i] = static_cast<int8_t>(round_to_int(F32(src[i]) * inv));
  return scale;
}

struct Scratch {
  float* scores;   // seq_k
  float* k_scale;  // seq_k
  float* v_scale;  // seq_k
  int16_t* p;      // seq_k
  int8_t* q;       // head_dim
  int8_t* k;       // seq_k * head_dim
  int8_t* v;       // seq_k * v_dim
};

Scratch carve(const AttentionArgs& a) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  Scratch s;
  s.scores = static_cast<float*>(a.scratch);
  s.k_scale = s.scores + keys;
  s.v_scale = s.k_scale + keys;
  s.p = reinterpret_cast<int16_t*>(s.v_scale + keys);
  s.q = reinterpret_cast<int8_t*>(s.p + keys);
  s.k = s.q + a.head_dim;
  s.v = s.k + keys * static_cast<size_t>(a.head_dim);
  return s;
}

void score_row(const AttentionArgs& a, const Scratch& s, int32_t i) {
  const float q_scale = quantize_symmetric(a.head_dim, a.q + i * a.q_stride, s.q);
  for (int32_t j = 0; j < a.seq_k; ++j) {
    const int8_t* k = s.k + static_cast<size_t>(j) * static_cast<size_t>(a.head_dim);
    int32_t acc = 0;
    for (int32_t d = 0; d < a.head_dim; ++d) acc += s.q[d] * k[d];
    const F32 score = F32(static_cast<float>(acc)) * ((F32(q_scale) * F32(a.scale)) * F32(s.k_scale[j]));
    s.scores[j] = to_float(final_score(a, i, j, score));
  }
}

// e -> P; returns pmax / 16256, or 0 if every p is zero.
F32 quantize_p(int32_t seq_k, const Scratch& s) {
  F32 max = 0.0f;
  for (int32_t j = 0; j < seq_k; ++j) max = larger(F32(s.scores[j]) * F32(s.v_scale[j]), max);
  if (!(max >= F32(kZeroRange))) return 0.0f;
  const F32 inv = F32(kMaxQ16) / max;
  for (int32_t j = 0; j < seq_k; ++j) {
    s.p[j] = static_cast<int16_t>(round_to_int((F32(s.scores[j]) * F32(s.v_scale[j])) * inv));
  }
  return max / F32(kMaxQ16);
}

// sum over keys of P * v: exact within a block of kKeyBlock keys, the blocks added in order in fp32.
F32 weighted_sum(const AttentionArgs& a, const Scratch& s, int32_t d) {
  F32 total = 0.0f;
  constexpr int32_t kBlock = static_cast<int32_t>(kKeyBlock);
  for (int32_t first = 0; first < a.seq_k; first += kBlock) {
    const int32_t end = a.seq_k - first < kBlock ? a.seq_k : first + kBlock;
    int32_t acc = 0;
    for (int32_t j = first; j < end; ++j) acc += s.p[j] * s.v[static_cast<size_t>(j) * static_cast<size_t>(a.v_dim) + d];
    const F32 block = static_cast<float>(acc);
    total = first == 0 ? block : total + block;
  }
  return total;
}

}  // namespace

void attention_f32_qs8_qs8_1x1_ref(const AttentionArgs& a) {
  const Scratch s = carve(a);
  for (int32_t j = 0; j < a.seq_k; ++j) {
    s.k_scale[j] =
        quantize_symmetric(a.head_dim, a.k + j * a.k_stride, s.k + static_cast<size_t>(j) * static_cast<size_t>(a.head_dim));
    s.v_scale[j] = scale_of_values(
        quantize_symmetric(a.v_dim, a.v + j * a.v_stride, s.v + static_cast<size_t>(j) * static_cast<size_t>(a.v_dim)),
        &s.k_scale[j]);
  }
  for (int32_t i = 0; i < a.seq_q; ++i) {
    score_row(a, s, i);
    const F32 sum = exp_scores<exp_of_weight>(a.seq_k, s.scores);
    const F32 p_scale = sum > F32(0.0f) ? quantize_p(a.seq_k, s) : F32(0.0f);
    if (p_scale == F32(0.0f)) {
      fill_row(a, i, sum);
      continue;
    }
    const F32 factor = p_scale / sum;
    for (int32_t d = 0; d < a.v_dim; ++d) a.dst[i * a.dst_stride + d] = to_float(weighted_sum(a, s, d) * factor);
  }
}

}  // namespace ert::kernels
