// Rows of fp32 to integers on either side of zero, of W8A16 and W12A13.
#pragma once

#include "kernels_int8/avx512vnni/short_rows.h"

namespace ert::kernels {
namespace {

// Of one row; the same as find_steps_of_rows.
template <int kMost, bool kSmooth>
inline float steps_of_row(size_t k, const float* src, const float* inv_smooth, RowScale* scale) {
  const __m512i magnitude = lanes_of_row<Symmetric<kMost>, kSmooth>(k, src, inv_smooth).magnitude;
  const float largest = float_of_bits(static_cast<uint32_t>(_mm512_reduce_max_epi32(magnitude)));
  *scale = {scale_of_no_range(largest), 0};
  if (!(largest >= kZeroRange && largest <= kLargestFloat)) return 0.0f;
  scale->scale = largest / static_cast<float>(kMost);
  return static_cast<float>(kMost) / largest;
}

// Calls store(row, i, q) with the integers of each 64 values from i on; behind the last value they are 0.
template <bool kSmooth, class Store>
inline __attribute__((always_inline)) void integers_of_row(size_t row, size_t k, const float* src, const float* inv_smooth, float inv,
                                                           const Store& store) {
  const __m512 steps = _mm512_set1_ps(inv);
  __m512i q[4];
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, i + 16 * j), steps));
    store(row, i, q);
  }
  if (i == k) return;
#pragma GCC unroll 4
  for (size_t j = 0; j < 4; ++j) {
    const size_t at = i + 16 * j;
    q[j] = at < k ? _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, at, lane_mask(k - at)), steps)) : _mm512_setzero_si512();
  }
  store(row, i, q);
}

template <int kMost, bool kSmooth, class Store>
void quantize_symmetric_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, RowScale* scales,
                             const Store& store) {
  size_t row = 0;
  while (k <= kShortRow && m - row >= kLeastRowsAtOnce) {
    const size_t rows = m - row < kRowsAtOnce ? m - row : kRowsAtOnce;
    Steps steps;
    find_steps_of_rows<Symmetric<kMost>, kSmooth>(rows, k, src, src_stride, inv_smooth, &steps);
    for (size_t r = 0; r < rows; ++r, ++row, src += src_stride) {
      scales[row] = {steps.scale[r], 0};
      integers_of_row<kSmooth>(row, k, src, inv_smooth, steps.inv[r], store);
    }
  }
  for (; row < m; ++row, src += src_stride)
    integers_of_row<kSmooth>(row, k, src, inv_smooth, steps_of_row<kMost, kSmooth>(k, src, inv_smooth, scales + row), store);
}

}  // namespace
}  // namespace ert::kernels
