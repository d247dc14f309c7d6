// int8 attention of one head: ARMv8.0.
#include "kernels_int8/neon/attention_words.h"
#include "kernels_int8/neon/gemm_tile.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_4x8_neon(const AttentionArgs& a) { attention<NeonSums, WordValues<WordSums>, 4, 2>(a); }

}  // namespace ert::kernels
