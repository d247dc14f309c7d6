// Rows of 8-bit maps in plain loops that the compiler turns into the level's vectors: integers, sums and products of single values, none of which depends on
// how many are done at once.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/ref/float32.h"
#include "kernels_int8/simd/repeated_factors.h"

namespace ert::kernels {
namespace {

// Bits as in ref/quantize_row.h: the largest unsigned, from -0 on, is the least value or NaN.
struct RangeBits {
  uint32_t low = 0x80000000u;
  int32_t high = 0;
};

template <bool kFactors>
inline __attribute__((always_inline)) RangeBits extended(RangeBits r, size_t n, const float* __restrict src,
                                                         const float* __restrict factors) {
  uint32_t low = r.low;
  int32_t high = r.high;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t y = bits_of(kFactors ? src[i] * factors[i] : src[i]);
    low = y > low ? y : low;
    high = static_cast<int32_t>(y) > high ? static_cast<int32_t>(y) : high;
  }
  return {low, high};
}

template <bool kFactors>
inline __attribute__((always_inline)) void to_bytes(size_t n, const float* __restrict src, const float* __restrict factors,
                                                    float inv, int32_t zero_point, uint8_t* __restrict dst) {
  for (size_t i = 0; i < n; ++i) {
    const int32_t q = round_to_int((kFactors ? src[i] * factors[i] : src[i]) * inv) + zero_point;
    const int32_t least = q < 0 ? 0 : q;
    dst[i] = static_cast<uint8_t>(least > 255 ? 255 : least);
  }
}

constexpr size_t kFactorsAtOnce = 64;

// Calls piece(at, n, factors) for values that have these factors.
template <class Piece>
inline __attribute__((always_inline)) void for_factors(const MapQuantizeArgs& a, const RepeatedFactors<kFactorsAtOnce>& factors, const Piece& piece) {
  const size_t n = a.pixels * a.channels;
  size_t i = 0, channel = 0;
  for (; i + kFactorsAtOnce <= n; i += kFactorsAtOnce, channel = factors.next(channel)) piece(i, kFactorsAtOnce, factors.of(channel));
  if (i < n) piece(i, n - i, factors.of(channel));
}

struct ByteSteps {
  float inv;
  int32_t zero_point;
};
// Sets the scale too.
inline ByteSteps steps_of(RangeBits bits, RowScale* scale) {
  const float low = float_of(bits.low), range = float_of(static_cast<uint32_t>(bits.high)) - low;
  *scale = {scale_of_no_range(range), 0};
  if (!(range >= kZeroRange && range <= kLargestFloat)) return {0.0f, 0};
  const float inv = kMaxQa8 / range;
  *scale = {range / kMaxQa8, round_to_int((0.0f - low) * inv)};
  return {inv, scale->zero_point};
}

inline void map_quantize_with_factors(const MapQuantizeArgs& a) {
  const RepeatedFactors<kFactorsAtOnce> factors(a.factors, a.channels);
  RangeBits bits;
  for_factors(a, factors, [&](size_t at, size_t n, const float* f) { bits = extended<true>(bits, n, a.src + at, f); });
  const ByteSteps steps = steps_of(bits, a.scale);
  if (cleared_for_nan(a)) return;
  for_factors(a, factors, [&](size_t at, size_t n, const float* f) {
    to_bytes<true>(n, a.src + at, f, steps.inv, steps.zero_point, a.dst + at);
  });
}

inline __attribute__((always_inline)) void map_quantize_row(const MapQuantizeArgs& a) {
  if (a.factors != nullptr) return map_quantize_with_factors(a);
  const size_t n = a.pixels * a.channels;
  const ByteSteps steps = steps_of(extended<false>({}, n, a.src, nullptr), a.scale);
  if (cleared_for_nan(a)) return;
  to_bytes<false>(n, a.src, nullptr, steps.inv, steps.zero_point, a.dst);
}

// The clamps by bits: GCC 12 makes a branch of a choice between floats here, and no vectors.
template <Clamp kClamp>
inline __attribute__((always_inline)) float clamped_by_bits(float x) {
  if (kClamp == Clamp::kNone) return x;
  x = float_of(bits_of(x) & (0.0f > x ? 0u : ~0u)) + 0.0f;
  if (kClamp == Clamp::kRelu) return x;
  const uint32_t above = 6.0f < x ? ~0u : 0u;
  return float_of((bits_of(x) & ~above) | (bits_of(6.0f) & above));
}

template <bool kAdd, bool kFactors, Clamp kClamp>
inline __attribute__((always_inline)) void restore(size_t n, const uint8_t* __restrict src, const float* __restrict factors,
                                                   float scale, int32_t zero_point, float* __restrict dst) {
  for (size_t i = 0; i < n; ++i) {
    float x = static_cast<float>(static_cast<int32_t>(src[i]) - zero_point) * scale;
    if (kFactors) x = x * factors[i];
    if (kAdd) x = dst[i] + x;
    dst[i] = clamped_by_bits<kClamp>(x);
  }
}

template <bool kAdd, bool kFactors>
inline __attribute__((always_inline)) void restore_clamped(Clamp clamp, size_t n, const uint8_t* src, const float* factors,
                                                           float scale, int32_t zero_point, float* dst) {
  switch (clamp) {
    case Clamp::kNone: return restore<kAdd, kFactors, Clamp::kNone>(n, src, factors, scale, zero_point, dst);
    case Clamp::kRelu: return restore<kAdd, kFactors, Clamp::kRelu>(n, src, factors, scale, zero_point, dst);
    case Clamp::kRelu6: return restore<kAdd, kFactors, Clamp::kRelu6>(n, src, factors, scale, zero_point, dst);
  }
}

inline __attribute__((always_inline)) void map_restore_row(const MapRestoreArgs& a) {
  const float scale = a.scale.scale;
  const int32_t zero_point = a.scale.zero_point;
  if (a.factors == nullptr) {
    const auto all = a.add ? restore_clamped<true, false> : restore_clamped<false, false>;
    return all(a.clamp, a.pixels * a.channels, a.src, nullptr, scale, zero_point, a.dst);
  }
  const auto pixel = a.add ? restore_clamped<true, true> : restore_clamped<false, true>;
  for (size_t p = 0; p < a.pixels; ++p)
    pixel(a.clamp, a.channels, a.src + p * a.channels, a.factors, scale, zero_point, a.dst + p * a.channels);
}

}  // namespace
}  // namespace ert::kernels
