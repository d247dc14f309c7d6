// Parts of row quantization shared by the 256-bit levels: the range of a row and its values rounded to int32, in blocks of
// 32. A cut last block is padded with zeros. Everything here has internal linkage.
#pragma once

#if !defined(__AVX2__)
#error "build with -mavx2"
#endif

#include <immintrin.h>
#include <string.h>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

constexpr size_t kBlock = 32;

// Calls block(i, values) with four registers y[i], ..., y[i + 31] for each block; y = src, times inv_smooth with kSmooth.
template <bool kSmooth, typename Block>
inline __attribute__((always_inline)) void for_blocks(size_t k, const float* src, const float* inv_smooth, const Block& block) {
  size_t i = 0;
  for (; i + kBlock <= k; i += kBlock) {
    __m256 y[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      y[j] = _mm256_loadu_ps(src + i + 8 * j);
      if (kSmooth) y[j] = _mm256_mul_ps(y[j], _mm256_loadu_ps(inv_smooth + i + 8 * j));
    }
    block(i, y);
  }
  if (i < k) {
    alignas(32) float x[kBlock] = {};
    alignas(32) float s[kBlock] = {};
    memcpy(x, src + i, (k - i) * sizeof(float));
    if (kSmooth) memcpy(s, inv_smooth + i, (k - i) * sizeof(float));
    __m256 y[4];
    for (int j = 0; j < 4; ++j) {
      y[j] = _mm256_load_ps(x + 8 * j);
      if (kSmooth) y[j] = _mm256_mul_ps(y[j], _mm256_load_ps(s + 8 * j));
    }
    block(i, y);
  }
}

// The largest 32-bit integer, signed or not.
template <bool kSigned>
inline __m256i larger_integers(__m256i a, __m256i b) {
  return kSigned ? _mm256_max_epi32(a, b) : _mm256_max_epu32(a, b);
}
template <bool kSigned>
inline float float_of_largest(const __m256i (&x)[4]) {
  const __m256i all = larger_integers<kSigned>(larger_integers<kSigned>(x[0], x[1]), larger_integers<kSigned>(x[2], x[3]));
  __m256i y = larger_integers<kSigned>(all, _mm256_permute2x128_si256(all, all, 1));
  y = larger_integers<kSigned>(y, _mm256_shuffle_epi32(y, 0x4e));
  y = larger_integers<kSigned>(y, _mm256_shuffle_epi32(y, 0xb1));
  return _mm256_cvtss_f32(_mm256_castsi256_ps(y));
}

// Smallest and largest value of the row and zero. By bits, as in ref/quantize_row.h, so that NaN is not lost.
template <bool kSmooth>
inline void range_of_row(size_t k, const float* src, const float* inv_smooth, float* lo_out, float* hi_out) {
  __m256i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm256_set1_epi32(INT32_MIN), hi[j] = _mm256_setzero_si256();
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, const __m256(&y)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          lo[j] = _mm256_max_epu32(_mm256_castps_si256(y[j]), lo[j]);
          hi[j] = _mm256_max_epi32(_mm256_castps_si256(y[j]), hi[j]);
        }
      });
  *lo_out = float_of_largest<false>(lo);
  *hi_out = float_of_largest<true>(hi);
}

// Runs store(i, q) over blocks of 32 rounded values y / scale as int32, before the zero point is added.
template <bool kSmooth, typename Store>
inline __attribute__((always_inline)) void quantize_row(size_t k, const float* src, const float* inv_smooth, RowScale* scale,
                                                        const Store& store) {
  float lo, hi;
  range_of_row<kSmooth>(k, src, inv_smooth, &lo, &hi);
  const float range = hi - lo;
  float inv = 0.0f;
  *scale = {scale_of_no_range(range), 0};
  if (range >= kZeroRange && range <= kLargestFloat) {
    inv = kMaxQa8 / range;
    *scale = {range / kMaxQa8, _mm_cvtss_si32(_mm_set_ss(-lo * inv))};
  }
  const __m256 inv8 = _mm256_set1_ps(inv);
  const __m256i zero_point = _mm256_set1_epi16(static_cast<int16_t>(scale->zero_point));
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, const __m256(&y)[4]) __attribute__((always_inline)) {
        __m256i q[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) q[j] = _mm256_cvtps_epi32(_mm256_mul_ps(y[j], inv8));
        store(i, q, zero_point);
      });
}

// W8A16: runs store(i, q) over blocks of 32 values rounded to 15 bits and a sign, as int32.
template <bool kSmooth, typename Store>
inline __attribute__((always_inline)) void quantize16_row(size_t k, const float* src, const float* inv_smooth, RowScale* scale,
                                                          const Store& store) {
  float lo, hi;
  range_of_row<kSmooth>(k, src, inv_smooth, &lo, &hi);
  const float absmax = hi > -lo ? hi : -lo;
  float inv = 0.0f;
  const float spread = hi - lo;
  *scale = {absmax <= kLargestFloat && spread == spread ? 0.0f : __builtin_nanf(""), 0};
  if (absmax >= kZeroRange && scale->scale == 0.0f) {
    inv = kMaxQ16 / absmax;
    scale->scale = absmax / kMaxQ16;
  }
  const __m256 inv8 = _mm256_set1_ps(inv);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, const __m256(&y)[4]) __attribute__((always_inline)) {
        __m256i q[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) q[j] = _mm256_cvtps_epi32(_mm256_mul_ps(y[j], inv8));
        store(i, q);
      });
}

// q = 128 * hi + lo with lo in [-64, 63].
inline __attribute__((always_inline)) void split_digits(const __m256i (&q)[4], __m256i (&hi)[4], __m256i (&lo)[4]) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    hi[j] = _mm256_srai_epi32(_mm256_add_epi32(q[j], _mm256_set1_epi32(64)), 7);
    lo[j] = _mm256_sub_epi32(q[j], _mm256_slli_epi32(hi[j], 7));
  }
}

}  // namespace
}  // namespace ert::kernels
