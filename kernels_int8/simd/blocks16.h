// A row in blocks of 16 lanes, as quantization reads it. Include a lanes16_<isa>.h first.
#pragma once

namespace ert::kernels {
namespace {

// Calls block(i, y) with y[i], ..., y[i + 15], zeros beyond k; y = src, times inv_smooth with kSmooth.
template <bool kSmooth, typename Block>
ERT_LANES void for_blocks(size_t k, const float* src, const float* inv_smooth, const Block& block) {
  size_t i = 0;
  for (; i + 16 <= k; i += 16) {
    const Lanes y = load(src + i);
    block(i, kSmooth ? y * load(inv_smooth + i) : y);
  }
  if (i < k) {
    const Lanes y = load_first(src + i, k - i);
    block(i, kSmooth ? y * load_first(inv_smooth + i, k - i) : y);
  }
}

}  // namespace
}  // namespace ert::kernels
