// int8 attention of one head: ARMv8.0.
#include "kernels_int8/neon/attention_lines.h"
#include "kernels_int8/neon/attention_words.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_4x8_neon(const AttentionArgs& a) { attention<LineKeys<NeonSums, 2>, WordValues<WordSums>, 4>(a); }

}  // namespace ert::kernels
