// fp32 attention of one head in 16 lanes: K transposed once, then blocks of query rows: scores by the GEMM tile, mask and exp
// by row, the weighted sum of V by the GEMM tile. Include a lanes16_<isa>.h first.
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/gemm16.h"
#include "kernels_int8/simd/row_parts16.h"

namespace ert::kernels {
namespace {

constexpr int32_t kQueryBlock = 16;

// [head_dim][keys16] with zeros in the padding.
inline void transpose_keys(const AttentionArgs& a, size_t keys16, float* dst) {
  for (int32_t d = 0; d < a.head_dim; ++d) memset(dst + (static_cast<size_t>(d) + 1) * keys16 - 16, 0, 16 * sizeof(float));
  for (int32_t j = 0; j < a.seq_k; ++j) {
    const float* k = a.k + j * a.k_stride;
    for (int32_t d = 0; d < a.head_dim; ++d) dst[static_cast<size_t>(d) * keys16 + static_cast<size_t>(j)] = k[d];
  }
}

// Keys that query i may see without looking at the mask.
inline size_t visible_keys(const AttentionArgs& a, int32_t i) {
  const int64_t limit = static_cast<int64_t>(i) + a.causal_offset + 1;
  return limit <= 0 ? 0 : limit >= a.seq_k ? static_cast<size_t>(a.seq_k) : static_cast<size_t>(limit);
}

// 16 raw scores -> scaled, biased, -inf where the mask hides.
ERT_LANES Lanes final_scores(const AttentionArgs& a, Lanes raw, const float* bias, const uint8_t* mask, size_t count) {
  Lanes s = raw * broadcast(a.scale);
  if (bias != nullptr) s = s + (count >= 16 ? load(bias) : load_first(bias, count));
  if (mask != nullptr) s = select(nonzero_bytes(mask, count), s, broadcast(-__builtin_inff()));
  return s;
}

// Turns one row of raw scores into e; returns 1 / sum, or 0 with zeros in the row if nothing is visible, or NaN.
inline float weights_of_row(const AttentionArgs& a, int32_t i, float* scores) {
  const size_t n = visible_keys(a, i);
  const size_t keys = static_cast<size_t>(a.seq_k);
  const float* bias = a.bias != nullptr ? a.bias + i * a.bias_stride : nullptr;
  const uint8_t* mask = a.mask != nullptr ? a.mask + i * a.mask_stride : nullptr;
  for (size_t j = 0; j < n; j += 16) {
    const size_t count = n - j < 16 ? n - j : 16;
    const Lanes s =
        final_scores(a, load(scores + j), bias != nullptr ? bias + j : nullptr, mask != nullptr ? mask + j : nullptr, count);
    store(scores + j, s);  // rows are padded to 16
  }
  const float sum = exp_in_place(n, scores);
  memset(scores + n, 0, (keys - n) * sizeof(float));
  return sum == 0.0f ? 0.0f : 1.0f / sum;
}

inline void attention_rows16(const AttentionArgs& a) {
  const size_t keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  float* keys = static_cast<float*>(a.scratch);
  float* scores = keys + keys16 * static_cast<size_t>(a.head_dim);
  transpose_keys(a, keys16, keys);
  for (int32_t first = 0; first < a.seq_q; first += kQueryBlock) {
    const int32_t rows = a.seq_q - first < kQueryBlock ? a.seq_q - first : kQueryBlock;
    const size_t m = static_cast<size_t>(rows);
    gemm_f32_tiled({m, keys16, static_cast<size_t>(a.head_dim), a.q + first * a.q_stride, a.q_stride, 1, keys,
                    static_cast<ptrdiff_t>(keys16), nullptr, scores, static_cast<ptrdiff_t>(keys16)});
    float inv[kQueryBlock];
    for (int32_t r = 0; r < rows; ++r) inv[r] = weights_of_row(a, first + r, scores + static_cast<size_t>(r) * keys16);
    float* dst = a.dst + first * a.dst_stride;
    gemm_f32_tiled({m, static_cast<size_t>(a.v_dim), static_cast<size_t>(a.seq_k), scores, static_cast<ptrdiff_t>(keys16), 1, a.v,
                    a.v_stride, nullptr, dst, a.dst_stride});
    for (int32_t r = 0; r < rows; ++r) {  // by 0 too, but where V holds a NaN
      if (inv[r] == 0.0f) memset(dst + r * a.dst_stride, 0, static_cast<size_t>(a.v_dim) * sizeof(float));
      scale_row(static_cast<size_t>(a.v_dim), inv[r], dst + r * a.dst_stride);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
