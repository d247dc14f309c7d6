// int8 attention of one head: smmla.
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/attention_digits.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_8x8_i8mm(const AttentionArgs& a) { attention<MatrixSums, DigitValues<MatrixSums, 2>, 8, 2>(a); }

}  // namespace ert::kernels
