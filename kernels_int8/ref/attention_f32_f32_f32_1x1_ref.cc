// fp32 attention of one head: every sum adds in index order, multiply and add rounded apart.
#include "kernels_int8/ref/attention_row.h"

namespace ert::kernels {

void attention_f32_f32_f32_1x1_ref(const AttentionArgs& a) {
  float* scores = static_cast<float*>(a.scratch);
  for (int32_t i = 0; i < a.seq_q; ++i) {
    const float* q = a.q + i * a.q_stride;
    for (int32_t j = 0; j < a.seq_k; ++j) {
      const float* k = a.k + j * a.k_stride;
      F32 acc = 0.0f;
      for (int32_t d = 0; d < a.head_dim; ++d) acc = acc + F32(q[d]) * F32(k[d]);
      scores[j] = to_float(final_score(a, i, j, acc * F32(a.scale)));
    }
    const F32 sum = exp_scores<exp_in_range>(a.seq_k, scores);
    if (!(sum > F32(0.0f))) {
      fill_row(a, i, sum);
      continue;
    }
    const F32 inv = F32(1.0f) / sum;
    for (int32_t d = 0; d < a.v_dim; ++d) {
      F32 acc = 0.0f;
      for (int32_t j = 0; j < a.seq_k; ++j) acc = acc + F32(scores[j]) * F32(a.v[j * a.v_stride + d]);
      a.dst[i * a.dst_stride + d] = to_float(acc * inv);
    }
  }
}

}  // namespace ert::kernels
