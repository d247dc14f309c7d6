// Rows of fp32 to bytes q - 128 with a zero point per row (W8A8), and to symmetric integers of more bits (W8A16, W12A13). Bytes beyond k are arbitrary: weights there
// are zero. Include a lanes16_<isa>.h first, and declare what the ISA writes in its own way:
//   kRowBytesPerValue                                            of W8A8
//   Lanes maximum(Lanes, Lanes), minimum(Lanes, Lanes); float greatest(Lanes), smallest(Lanes)
//       of zeros (of the sign that is asked for) and values, so that a NaN among them stays: ref/quantize_row.h
//   int32_t nearest_integer(float)
//   void store_bytes(int8_t* dst, Lanes q, int32_t offset)       16 values: nearest integers plus offset, clamped to a signed byte
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/blocks16.h"

namespace ert::kernels {
namespace {

// Of a row of W8A8: its scale, and what values are multiplied with.
struct Qa8Steps {
  RowScale scale;
  float inv;
};
ERT_LANES Qa8Steps qa8_steps(float lowest, float highest) {
  const float range = highest - lowest;
  if (!(range >= kZeroRange && range <= kLargestFloat)) return {{scale_of_no_range(range), 0}, 0.0f};
  const float inv = kMaxQa8 / range;
  return {{range / kMaxQa8, nearest_integer((0.0f - lowest) * inv)}, inv};
}

// Calls store(i, y, offset) for values i to i + 15: nearest integers plus offset, to be clamped to a signed byte.
template <bool kSmooth, class Store>
ERT_LANES RowScale quantize_qa8_row(size_t k, const float* src, const float* inv_smooth, const Store& store) {
  Lanes lo = broadcast(-0.0f), hi = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) {
        lo = minimum(y, lo);
        hi = maximum(y, hi);
      });
  const Qa8Steps steps = qa8_steps(smallest(lo), greatest(hi));
  const Lanes factor = broadcast(steps.inv);
  const int32_t offset = steps.scale.zero_point - 128;
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) { store(i, y * factor, offset); });
  return steps.scale;
}
template <bool kSmooth>
RowScale quantize_qa8_bytes(size_t k, const float* src, const float* inv_smooth, int8_t* dst) {
  return quantize_qa8_row<kSmooth>(
      k, src, inv_smooth, [=](size_t i, Lanes y, int32_t offset) __attribute__((always_inline)) {
        store_bytes(dst + kRowBytesPerValue * i, y, offset);
      });
}

// Calls store(i, y) for values i to i + 15, to be rounded to the nearest of `most` integers to either side.
template <bool kSmooth, class Store>
ERT_LANES RowScale quantize_symmetric_row(float most, size_t k, const float* src, const float* inv_smooth, const Store& store) {
  Lanes max = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) { max = maximum(absolute(y), max); });
  const float absmax = greatest(max);
  const bool zero = !(absmax >= kZeroRange && absmax <= kLargestFloat);
  const Lanes factor = broadcast(zero ? 0.0f : most / absmax);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) { store(i, y * factor); });
  return {zero ? scale_of_no_range(absmax) : absmax / most, 0};
}

inline void quantize_qa8_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                              size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    scales[i] =
        inv_smooth != nullptr ? quantize_qa8_bytes<true>(k, src, inv_smooth, row) : quantize_qa8_bytes<false>(k, src, nullptr, row);
  }
}

// Calls store(row, i, y): `row` is the memory of a row.
template <class Store>
inline void quantize_symmetric_rows(float most, size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales, const Store& store) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t r = 0; r < m; ++r, src += src_stride, row += row_bytes) {
    const auto store_block = [&](size_t i, Lanes y) __attribute__((always_inline)) { store(row, i, y); };
    scales[r] = inv_smooth != nullptr ? quantize_symmetric_row<true>(most, k, src, inv_smooth, store_block)
                                      : quantize_symmetric_row<false>(most, k, src, nullptr, store_block);
  }
}

}  // namespace
}  // namespace ert::kernels
