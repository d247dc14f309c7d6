// Quantization of one row in the order of NUMERICS.md 2; the level says how the integers are stored.
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

inline F32 smoothed(const float* src, const float* inv_smooth, size_t i) {
  return inv_smooth != nullptr ? F32(src[i]) * F32(inv_smooth[i]) : F32(src[i]);
}

// 8 bits with a zero point: store(i, q, zero_point), q in [0, 255].
template <typename Store>
inline RowScale quantize_qa8_row(size_t k, const float* src, const float* inv_smooth, const Store& store) {
  F32 lo = 0.0f;
  F32 hi = 0.0f;
  for (size_t i = 0; i < k; ++i) {
    const F32 y = smoothed(src, inv_smooth, i);
    lo = smaller(y, lo);
    hi = larger(y, hi);
  }
  const F32 range = hi - lo;
  if (!(range >= F32(kZeroRange))) {
    for (size_t i = 0; i < k; ++i) store(i, 0, 0);
    return {0.0f, 0};
  }
  const F32 inv = F32(kMaxQa8) / range;
  const int32_t zero_point = round_to_int((F32(0.0f) - lo) * inv);
  for (size_t i = 0; i < k; ++i) {
    const int32_t q = round_to_int(smoothed(src, inv_smooth, i) * inv) + zero_point;
    store(i, q < 0 ? 0 : q > 255 ? 255 : q, zero_point);
  }
  return {to_float(range / F32(kMaxQa8)), zero_point};
}

// 15 bits without one: store(i, q), q in [-16256, 16256].
template <typename Store>
inline RowScale quantize_qa16_row(size_t k, const float* src, const float* inv_smooth, const Store& store) {
  F32 max = 0.0f;
  for (size_t i = 0; i < k; ++i) max = larger(absolute(smoothed(src, inv_smooth, i)), max);
  if (!(max >= F32(kZeroRange))) {
    for (size_t i = 0; i < k; ++i) store(i, 0);
    return {0.0f, 0};
  }
  const F32 inv = F32(kMaxQ16) / max;
  for (size_t i = 0; i < k; ++i) store(i, round_to_int(smoothed(src, inv_smooth, i) * inv));
  return {to_float(max / F32(kMaxQ16)), 0};
}

// q = 128 * high + low with low in [-64, 63].
inline int32_t high_digit(int32_t q) { return (q + 64) >> 7; }

}  // namespace
}  // namespace ert::kernels
