// Convolution over 8-bit maps of AArch64 without dot products for cores that issue in order: 4 outputs x 8 filters; where a few patches are longer than map_halves.h
// has room for, as other cores have it.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/neon/gemm_tile_inorder.h"
#include "kernels_int8/neon/map_halves.h"

namespace ert::kernels {
namespace {

// From so many outputs on, looking which blocks fit costs less than it saves.
constexpr size_t kOutputsForBlocks = 8;

struct InOrderMapSums {
  static constexpr int32_t kStart = 0;
  static inline __attribute__((always_inline)) float32x4_t to_floats(int32x4_t sum) { return vcvtq_f32_s32(sum); }
  template <int kOutputs>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kOutputs][2], const int8_t* lhs, size_t step,
                                                        const int8_t* rhs, size_t k4, const int32_t* start,
                                                        const LineBlocks* blocks) {
    InOrderNeonSums::run<kOutputs, 2>(acc, lhs, step, rhs, 0, k4, blocks);
    const int32x4_t first = vld1q_s32(start), second = vld1q_s32(start + 4);
#pragma GCC unroll 4
    for (int r = 0; r < kOutputs; ++r) {
      acc[r][0] = vaddq_s32(acc[r][0], first);
      acc[r][1] = vaddq_s32(acc[r][1], second);
    }
  }
};

// The blocks of 8 filters in each row of the kernel.
struct RowsOfBlocks {
  LineBlocks rows[kMostMapRows];
  uint16_t orders[TurnedRows::kBytes / kBlockDepth + kMostMapRows];

  void operator()(MapHalf* m) {
    const int8_t* weights = m->weights;
    uint16_t* order = orders;
    for (size_t i = 0; i < m->a->rows; ++i, weights += m->matrix) {
      rows[i] = m->a->outputs < kOutputsForBlocks ? blocks_in_order(m->k, order) : blocks_that_fit_first(weights, m->k, order);
      order += rows[i].count + 1;
    }
    m->blocks = rows;
  }
};

}  // namespace

void mapconv_f32_qm8_qw8_2x16_neon(const MapConvArgs& a);

void mapconv_f32_qm8_qw8_4x8_neon_inorder(const MapConvArgs& a) {
  RowsOfBlocks blocks;
  if (!map_conv_halves<InOrderMapSums, 4>(a, [&](MapHalf* m) { blocks(m); })) mapconv_f32_qm8_qw8_2x16_neon(a);
}

}  // namespace ert::kernels
