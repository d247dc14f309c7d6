// int8 attention of one head: sdot, for cores that issue in order.
#include "kernels_int8/dotprod/gemm_tile_inorder.h"
#include "kernels_int8/neon/attention_digits.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_4x16_dotprod_inorder(const AttentionArgs& a) {
  attention<LineKeys<InOrderDotSums, 4>, DigitValues<InOrderDotSums, 4>, 4>(a);
}

}  // namespace ert::kernels
