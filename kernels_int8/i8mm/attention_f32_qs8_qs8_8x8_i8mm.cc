// int8 attention of one head: smmla.
#include "kernels_int8/i8mm/attention_eights.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_8x8_i8mm(const AttentionArgs& a) {
  if (EightQueries::takes(a)) return EightQueries(a).run();
  attention<PairKeys, PairValues, 8, 4>(a);
}

}  // namespace ert::kernels
