// Rows of 8-bit maps in plain loops that the compiler turns into the level's vectors: integers, sums and products of single values, none of which depends on
// how many are done at once.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/ref/float32.h"

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

// Calls piece(at, n) for what has factors of its own side by side: a pixel, or all.
template <class Piece>
inline __attribute__((always_inline)) void for_pieces(size_t pixels, size_t channels, const Piece& piece) {
  for (size_t p = 0; p < pixels; ++p) piece(p * channels, channels);
}

inline __attribute__((always_inline)) void map_quantize_row(const MapQuantizeArgs& a) {
  const size_t n = a.pixels * a.channels;
  RangeBits bits;
  if (a.factors == nullptr) {
    bits = extended<false>(bits, n, a.src, nullptr);
  } else {
    for_pieces(a.pixels, a.channels, [&](size_t at, size_t count) { bits = extended<true>(bits, count, a.src + at, a.factors); });
  }
  const float low = float_of(bits.low), range = float_of(static_cast<uint32_t>(bits.high)) - low;
  *a.scale = {scale_of_no_range(range), 0};
  float inv = 0.0f;
  if (range >= kZeroRange && range <= kLargestFloat) {
    inv = kMaxQa8 / range;
    *a.scale = {range / kMaxQa8, round_to_int((0.0f - low) * inv)};
  }
  if (cleared_for_nan(a)) return;
  const int32_t zero_point = a.scale->zero_point;
  if (a.factors == nullptr) return to_bytes<false>(n, a.src, nullptr, inv, zero_point, a.dst);
  for_pieces(a.pixels, a.channels,
             [&](size_t at, size_t count) { to_bytes<true>(count, a.src + at, a.factors, inv, zero_point, a.dst + at); });
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
  for_pieces(a.pixels, a.channels,
             [&](size_t at, size_t count) { pixel(a.clamp, count, a.src + at, a.factors, scale, zero_point, a.dst + at); });
}

}  // namespace
}  // namespace ert::kernels
