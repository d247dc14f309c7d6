// int8 attention of one head: ARMv7.
#include "kernels_int8/neon/attention_digits.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_2x8_neon(const AttentionArgs& a) { attention<LineKeys<NeonSums, 2>, DigitValues<NeonSums, 2>, 2>(a); }

}  // namespace ert::kernels
