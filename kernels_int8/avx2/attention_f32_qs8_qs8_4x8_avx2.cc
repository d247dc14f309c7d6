// int8 attention of one head for AVX2: queries as int16, keys and values widened in the loop, all products by pmaddwd.
#include "kernels_int8/avx2/attention_rows.h"
#include "kernels_int8/avx2/gemm_tile.h"

namespace ert::kernels {
namespace {

struct Avx2Mac {
  using Query = int16_t;
  static constexpr int8_t kKeyFlip = 0;

  template <int kRows>
  static inline __attribute__((always_inline)) void scores(__m256i (&acc)[kRows][2], const int16_t* queries, size_t row_elements,
                                                           const int32_t*, const int8_t* keys, size_t head4) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      __m256i half[kRows][1];
      accumulate<kRows, 1>(half, queries, row_elements, keys + 32 * h, head4);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) acc[r][h] = half[r][0];
    }
  }

  static inline __attribute__((always_inline)) void pairs(__m256i& acc, __m256i p2, __m256i v2) { mac(acc, p2, v2); }
};

}  // namespace

void attention_f32_qs8_qs8_4x8_avx2(const AttentionArgs& a) { attention<Avx2Mac>(a); }

}  // namespace ert::kernels
