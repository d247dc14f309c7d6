// Quantization of one row in the order of NUMERICS.md 2; the level says how the integers are stored.
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

inline F32 smoothed(const float* src, const float* inv_smooth, size_t i) {
  return inv_smooth != nullptr ? F32(src[i]) * F32(inv_smooth[i]) : F32(src[i]);
}

// A row whose values or range overflow has the scale NaN, which every output multiplies: one without payload, which exponentials keep. By bits: there NaN is above infinity, as
// signed integers for hi and as unsigned ones, whose sign bit is set, for lo; a float maximum would lose it.
// In one comparison, because range is not below 0.
inline bool ordinary(F32 range) {
  return bits_of(to_float(range)) - bits_of(kZeroRange) <= bits_of(kLargestFloat) - bits_of(kZeroRange);
}

// The scale of a row of zeros, or of one that overflows.
inline float scale_without_range(F32 range) { return bits_of(to_float(range)) < bits_of(kZeroRange) ? 0.0f : __builtin_nanf(""); }

// Symmetric int8 scale of n values and the factor that quantizes them, which is 0 where the range is not ordinary. An infinity or NaN makes the scale
// a NaN without payload, which exponentials keep, and the integers arbitrary bytes.
__attribute__((noinline)) inline float symmetric_scale(size_t n, const float* src, F32* inv) {
  uint32_t max_bits = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t y = bits_of(src[i]) & 0x7fffffffu;
    if (y > max_bits) max_bits = y;
  }
  const F32 max = float_of(max_bits);
  *inv = 0.0f;
  if (!ordinary(max)) return scale_without_range(max);
  *inv = F32(kMaxQ8) / max;
  return to_float(max / F32(kMaxQ8));
}

// 8 bits with a zero point of the k values value(i): store(i, q, zero_point), q in [0, 255].
template <typename Value, typename Store>
inline RowScale quantize_qa8_values(size_t k, const Value& value, const Store& store) {
  uint32_t lo_bits = 0x80000000u;
  int32_t hi_bits = 0;
  for (size_t i = 0; i < k; ++i) {
    const uint32_t y = bits_of(to_float(value(i)));
    if (y > lo_bits) lo_bits = y;
    if (static_cast<int32_t>(y) > hi_bits) hi_bits = static_cast<int32_t>(y);
  }
  const F32 lo = float_of(lo_bits);
  const F32 range = F32(float_of(static_cast<uint32_t>(hi_bits))) - lo;
  if (!ordinary(range)) {
    for (size_t i = 0; i < k; ++i) store(i, 0, 0);
    return {scale_without_range(range), 0};
  }
  const F32 inv = F32(kMaxQa8) / range;
  const int32_t zero_point = round_to_int((F32(0.0f) - lo) * inv);
  for (size_t i = 0; i < k; ++i) {
    const int32_t q = round_to_int(value(i) * inv) + zero_point;
    store(i, q < 0 ? 0 : q > 255 ? 255 : q, zero_point);
  }
  return {to_float(range / F32(kMaxQa8)), zero_point};
}

template <typename Store>
inline RowScale quantize_qa8_row(size_t k, const float* src, const float* inv_smooth, const Store& store) {
  return quantize_qa8_values(
      k, [=](size_t i) { return smoothed(src, inv_smooth, i); }, store);
}

// `most` steps to either side, without one: store(i, q), q in [-most, most]; of a row that overflows any integers.
template <typename Store>
inline RowScale quantize_symmetric_row(float most, size_t k, const float* src, const float* inv_smooth, const Store& store) {
  uint32_t max_bits = 0;
  for (size_t i = 0; i < k; ++i) {
    const uint32_t y = bits_of(to_float(smoothed(src, inv_smooth, i))) & 0x7fffffffu;
    if (y > max_bits) max_bits = y;
  }
  const F32 max = float_of(max_bits);
  const bool some = ordinary(max);
  const F32 inv = some ? F32(most) / max : F32(0.0f);
  for (size_t i = 0; i < k; ++i) store(i, round_to_int(smoothed(src, inv_smooth, i) * inv));
  return {some ? to_float(max / F32(most)) : scale_without_range(max), 0};
}
template <typename Store>
inline RowScale quantize_qa16_row(size_t k, const float* src, const float* inv_smooth, const Store& store) {
  return quantize_symmetric_row(kMaxQ16, k, src, inv_smooth, store);
}

// q = 128 * high + low with low in [-64, 63].
inline int32_t high_digit(int32_t q) { return (q + 64) >> 7; }

}  // namespace
}  // namespace ert::kernels
