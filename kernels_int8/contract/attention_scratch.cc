// Scratch of one attention call. One bound for every level, so that the RAM formula of a model does not depend on the CPU.
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {

// Parts, with sk = seq_k rounded up to 16, hd and vd rounded up to 16:
//   keys       int8: K packed N16K4 (hd) + V widened to int16 (2 vd) + scales of K and V, sums of K and one spare (16), per key;
//              fp32: K transposed (4 hd) per key; the larger of the two
//   16 rows    of queries: scores fp32 (4 sk), P int16 (2 sk), quantized q int16 (2 * hd rounded up to 64), output (4 vd)
//   1024       alignment of up to 16 parts to 64 bytes
size_t attention_scratch_bytes(int32_t seq_q, int32_t seq_k, int32_t head_dim, int32_t v_dim) {
  (void)seq_q;
  const size_t sk = round_up(static_cast<size_t>(seq_k), 16);
  const size_t hd = round_up(static_cast<size_t>(head_dim), 16);
  const size_t vd = round_up(static_cast<size_t>(v_dim), 16);
  const size_t per_key_i8 = hd + 2 * vd + 16;
  const size_t per_key_f32 = 4 * hd;
  const size_t keys = sk * (per_key_i8 > per_key_f32 ? per_key_i8 : per_key_f32);
  const size_t rows = 16 * (6 * sk + 2 * round_up(hd, 64) + 4 * vd);
  return keys + rows + 1024;
}

}  // namespace ert::kernels
