// What both attention kernels of the reference share: which keys a query sees, and the weights e = exp(score - maximum).
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {
namespace {

inline bool visible(const AttentionArgs& a, int32_t i, int32_t j) {
  if (static_cast<int64_t>(j) > static_cast<int64_t>(i) + a.causal_offset) return false;
  return a.mask == nullptr || a.mask[i * a.mask_stride + j] != 0;
}

// Adds the bias and hides keys: the score as softmax sees it.
inline F32 final_score(const AttentionArgs& a, int32_t i, int32_t j, F32 score) {
  if (!visible(a, i, j)) return -__builtin_inff();
  return a.bias != nullptr ? score + F32(a.bias[i * a.bias_stride + j]) : score;
}

// scores -> e in place. Returns their sum in canonical order over j: 0 if the query sees nothing, NaN if a score that it sees is NaN or infinite.
template <F32 (*exponential)(F32)>
inline F32 exp_scores(int32_t seq_k, float* scores) {
  F32 max = -__builtin_inff();
  for (int32_t j = 0; j < seq_k; ++j) max = larger(scores[j], max);
  if (max == F32(-__builtin_inff())) max = 0.0f;  // nothing is seen, or NaN alone
  LaneSum sum;
  for (int32_t j = 0; j < seq_k; ++j) {
    const F32 t = F32(scores[j]) - max;
    const F32 e = t < F32(kExpLow) ? F32(0.0f) : exponential(t);
    scores[j] = to_float(e);
    sum.add(static_cast<size_t>(j), e);
  }
  return sum.total();
}

// The output row of a query that sees nothing, or NaN: zeros or NaN.
inline void fill_row(const AttentionArgs& a, int32_t i, F32 sum) {
  for (int32_t d = 0; d < a.v_dim; ++d) a.dst[i * a.dst_stride + d] = to_float(sum - sum);
}

}  // namespace
}  // namespace ert::kernels
