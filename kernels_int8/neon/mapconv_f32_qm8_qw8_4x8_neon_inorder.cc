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
  static constexpr bool kFirstRowApart = false;
  static constexpr size_t kOutputsAtOnce = 1;
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

// Which blocks fit, of each 8 filters and row of the kernel, where the caller has memory that outlives the call: rows of outputs have the same weights.
struct FoundBlocks {
  const int8_t* weights;  // of what was found; null: nothing yet
  uint64_t rows;
  uint64_t fit[kMapConvScratch / sizeof(uint64_t) - 2];  // bits; of 8 filters row by row
};
static_assert(sizeof(FoundBlocks) <= kMapConvScratch, "scratch");
constexpr size_t kMostFound = sizeof(FoundBlocks::fit) / sizeof(uint64_t), kMostInFound = 64;

// The blocks of 8 filters in each row of the kernel. Short rows of weights become whole blocks by zeros behind them: lines behind the last block cost twice as much.
class RowsOfBlocks {
 public:
  // Whether there is room for the orders of all rows: those that are not turned, being signed bytes already, may be longer than those that are.
  static bool fits(const MapConvArgs& a) { return a.rows * (round_up(a.depth, 4) / kBlockDepth) <= kMostBlocksOfRows; }

  explicit RowsOfBlocks(const MapConvArgs& a) : looks_(a.outputs >= kOutputsForBlocks) {
    const size_t k = round_up(a.depth, 4), blocks = round_up(k, kBlockDepth) / kBlockDepth;
    padded_ = k % kBlockDepth != 0 && a.rows * blocks <= kPadded ? blocks : 0;
    if (a.scratch == nullptr || a.rows * (map_columns(a.filters) / 8) > kMostFound || blocks > kMostInFound || !looks_) return;
    found_ = static_cast<FoundBlocks*>(a.scratch);
    known_ = found_->weights == a.w.data && found_->rows == a.rows;
  }

  void operator()(MapHalf* m, size_t filter) {
    if (padded_ != 0) pad(m);
    const int8_t* weights = m->weights;
    uint16_t* order = orders_;
    const size_t count = m->k / kBlockDepth;
    for (size_t i = 0; i < m->a->rows; ++i, weights += m->matrix) {
      if (found_ != nullptr) {
        uint64_t* fit = &found_->fit[filter / 8 * m->a->rows + i];
        if (!known_) *fit = blocks_that_fit(weights, count);
        rows_[i] = blocks_in_order_of(*fit, count, order);
      } else {
        rows_[i] = looks_ ? blocks_that_fit_first(weights, m->k, order) : blocks_in_order(m->k, order);
      }
      order += rows_[i].count + 1;
    }
    m->blocks = rows_;
  }

  // All blocks of all filters were looked at.
  void keep(const MapConvArgs& a) {
    if (found_ == nullptr) return;
    found_->weights = a.w.data;
    found_->rows = a.rows;
  }

 private:
  static constexpr size_t kPadded = 16, kMostBlocksOfRows = TurnedRows::kBytes / kBlockDepth;

  void pad(MapHalf* m) {
    int8_t* to = weights_;
    const size_t bytes = padded_ * kBlockBytes;
    for (size_t i = 0; i < m->a->rows; ++i, to += bytes) {
      const int8_t* from = m->weights + i * m->matrix;
      const size_t used = 16 * m->k;  // 16 columns, of which eight are read
      for (size_t at = 0; at < used; at += 64) {
        vst1q_s8(to + at, vld1q_s8(from + at));
        vst1q_s8(to + at + 16, vld1q_s8(from + at + 16));
      }
      for (size_t at = used; at < bytes; at += 16) vst1q_s8(to + at, vdupq_n_s8(0));
    }
    m->weights = weights_;
    m->matrix = bytes;
    m->k = padded_ * kBlockDepth;
  }

  bool looks_, known_ = false;
  FoundBlocks* found_ = nullptr;
  size_t padded_;  // blocks of a row with zeros behind; 0: as they are
  LineBlocks rows_[kMostMapRows];
  uint16_t orders_[kMostBlocksOfRows + kMostMapRows];
  alignas(16) int8_t weights_[kPadded * kBlockBytes];
};

}  // namespace

void mapconv_f32_qm8_qw8_2x16_neon(const MapConvArgs& a);

void mapconv_f32_qm8_qw8_4x8_neon_inorder(const MapConvArgs& a) {
  if (!RowsOfBlocks::fits(a)) return mapconv_f32_qm8_qw8_2x16_neon(a);
  RowsOfBlocks blocks(a);
  if (!map_conv_halves<InOrderMapSums, 4>(a, [&](MapHalf* m, size_t filter) { blocks(m, filter); })) return mapconv_f32_qm8_qw8_2x16_neon(a);
  blocks.keep(a);
}

}  // namespace ert::kernels
