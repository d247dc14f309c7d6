// Rows of fp32 to pairs of rows as smmla takes them (pair_format.h), W8A8 and W8A16: a row's eight values go to every second eight bytes.
#include "kernels_int8/i8mm/pair_format.h"
#include "kernels_int8/neon/quantize_row.h"
#include "kernels_int8/simd/elementary16.h"
// What is written in these two comes behind them.
#include "kernels_int8/neon/quantize_whole_rows.h"

namespace ert::kernels {
namespace {

// Where row `parity` of a pair that starts at `pair` puts its values i to i + 15 of a digit. Loops take copies: the compiler takes what they store for
// anything.
struct PairStore {
  int8_t* pair;
  size_t row_bytes, half, parity;
  ERT_LANES void operator()(size_t i, size_t digit, int8x8_t first, int8x8_t second) const {
    int8_t* dst = pair + digit + pair_place(i, half, row_bytes) + 8 * parity;
    vst1_s8(dst, first);
    vst1_s8(dst + 16, second);
  }
  ERT_LANES void operator()(size_t i, size_t digit, int8x16_t bytes) const { (*this)(i, digit, vget_low_s8(bytes), vget_high_s8(bytes)); }
};

template <bool kSmooth>
RowScale row_of_pair8(size_t k, const float* src, const float* inv_smooth, const PairStore& store) {
  return quantize_qa8_row<kSmooth>(
      k, src, inv_smooth,
      [store](size_t i, Lanes y, int32_t offset) __attribute__((always_inline)) {
        const Integers q = rounded(y, offset);
        store(i, 0, vqmovn_s16(q.low), vqmovn_s16(q.high));
      });
}

template <bool kSmooth>
RowScale row_of_pair16(size_t k, const float* src, const float* inv_smooth, const PairStore& store) {
  return quantize_symmetric_row<kSmooth>(
      kMaxQ16, k, src, inv_smooth, [store](size_t i, Lanes y) __attribute__((always_inline)) {
        const Digits d = digits_of(rounded(y));
        store(i, 0, d.hi);
        store(i, store.row_bytes / 2, d.lo);
      });
}

struct WholeRowStore {
  PairStore store;
  ERT_LANES void operator()(size_t i, int8x16_t q) const { store(i, 0, q); }
  ERT_LANES void operator()(size_t i, int8x16_t q, int8x16_t more) const { store(i, 0, q), store(i + 16, 0, more); }
};

template <bool kSmooth>
void quantize_whole_pairs(size_t paired, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, int8_t* rows,
                          size_t row_bytes, RowScale* scales) {
  quantize_whole_rows<kSmooth>(paired, k, src, src_stride, inv_smooth, scales, [=](size_t r) __attribute__((always_inline)) {
    return WholeRowStore{{rows + (r - r % 2) * row_bytes, row_bytes, half_of_row(k), r % 2}};
  });
}

using RowFn = RowScale (*)(size_t k, const float* src, const float* inv_smooth, const PairStore& store);

// Calls `row` for the rows of pairs, and `alone` for a last row without a second one.
void quantize_pairs(RowFn row, QuantizeRowsFn alone, size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                    void* dst, size_t row_bytes, RowScale* scales) {
  int8_t* rows = static_cast<int8_t*>(dst);
  const size_t paired = m / 2 * 2;
  for (size_t r = 0; r < paired; ++r, src += src_stride)
    scales[r] = row(k, src, inv_smooth, {rows + (r - r % 2) * row_bytes, row_bytes, half_of_row(k), r % 2});
  if (paired < m) alone(1, k, src, src_stride, inv_smooth, rows + paired * row_bytes, row_bytes, scales + paired);
}

}  // namespace

void quantize_qa8_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales);
void quantize_qa16_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                 size_t row_bytes, RowScale* scales);

void quantizepairs_qa8_f32_2x16_i8mm(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                     size_t row_bytes, RowScale* scales) {
  if (k % 16 == 0) {
    const size_t paired = m / 2 * 2;
    const auto quantize = inv_smooth != nullptr ? quantize_whole_pairs<true> : quantize_whole_pairs<false>;
    quantize(paired, k, src, src_stride, inv_smooth, static_cast<int8_t*>(dst), row_bytes, scales);
    if (paired == m) return;
    return quantize_qa8_f32_1x16_neon(1, k, src + static_cast<ptrdiff_t>(paired) * src_stride, src_stride, inv_smooth,
                                      static_cast<int8_t*>(dst) + paired * row_bytes, row_bytes, scales + paired);
  }
  const RowFn row = inv_smooth != nullptr ? row_of_pair8<true> : row_of_pair8<false>;
  quantize_pairs(row, quantize_qa8_f32_1x16_neon, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void quantizepairs_qa16_f32_2x16_i8mm(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                      size_t row_bytes, RowScale* scales) {
  const RowFn row = inv_smooth != nullptr ? row_of_pair16<true> : row_of_pair16<false>;
  quantize_pairs(row, quantize_qa16_f32_1x16_neon, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

}  // namespace ert::kernels
