// int8 attention of one head: sdot.
#include "kernels_int8/dotprod/attention_fours.h"
#include "kernels_int8/neon/attention_digits.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_4x16_dotprod(const AttentionArgs& a) {
  if (FourQueries::takes(a)) return FourQueries(a).run();
  attention<LineKeys<DotSums, 4>, DigitValues<DotSums, 4>, 4>(a);
}

}  // namespace ert::kernels
