// int8 attention of one head: smmla.
#include "kernels_int8/i8mm/attention_pairs.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_8x8_i8mm(const AttentionArgs& a) { attention<PairKeys, PairValues, 8, 4>(a); }

}  // namespace ert::kernels
