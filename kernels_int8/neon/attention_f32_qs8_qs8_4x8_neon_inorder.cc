// int8 attention of one head: ARMv8.0 cores that issue in order.
#include "kernels_int8/neon/attention_lines.h"
#include "kernels_int8/neon/attention_words.h"
#include "kernels_int8/neon/gemm_tile_inorder.h"

namespace ert::kernels {

void attention_f32_qs8_qs8_4x8_neon_inorder(const AttentionArgs& a) {
  uint16_t order[kMostBlocks + 1];
  const LineBlocks blocks = blocks_in_order(round_up(static_cast<size_t>(a.head_dim), 4), order);
  attention<LineKeys<InOrderNeonSums, 2>, WordValues<InOrderWordSums>, 4>(a, &blocks);
}

}  // namespace ert::kernels
