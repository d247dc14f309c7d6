// int8 attention of one head: smmla.
#include "kernels_int8/neon/attention_rows.h"
#include "kernels_int8/i8mm/gemm_tile.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_8x8_i8mm(const AttentionArgs& a) { attention<MatrixSums, 8, 2>(a); }

}  // namespace ert::kernels
