// Scores of four rows of int8 attention to weights: exp_of_weight (simd/elementary16.h) of 16 keys of each row side by side. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx2/chains.h"

namespace ert::kernels {
namespace {

constexpr int kRowsOfChains = 4, kWeightChains = 2 * kRowsOfChains;

// exp(src[r * stride + i] - most[r]) of 16 values i of each row, two registers a row.
inline __attribute__((always_inline)) void exp_of_weights_in_step(const float* src, size_t stride, const float* most, __m256 (&y)[kWeightChains]) {
  KeptChains<kWeightChains> x, power, rest;
  {
    const __m256 factor = constant8(&kLog2E);
#pragma GCC unroll 8
    for (int j = 0; j < kWeightChains; ++j) {
      const size_t row = static_cast<size_t>(j / 2), half = static_cast<size_t>(j % 2);
      const __m256 below = _mm256_sub_ps(_mm256_loadu_ps(src + row * stride + 8 * half), _mm256_set1_ps(most[row]));
      _mm256_store_ps(x.of[j], below);
      y[j] = _mm256_mul_ps(below, factor);
    }
  }
  {
    const __m256 magic = constant8(&kRoundMagic), first = constant8(kExp2OfWeights + 4);
#pragma GCC unroll 8
    for (int j = 0; j < kWeightChains; ++j) {
      const __m256 z = _mm256_add_ps(y[j], magic);
      _mm256_store_ps(power.of[j], z);
      const __m256 f = _mm256_sub_ps(y[j], _mm256_sub_ps(z, magic));
      _mm256_store_ps(rest.of[j], f);
      y[j] = _mm256_mul_ps(f, first);
    }
  }
#pragma GCC unroll 4
  for (int i = 3; i > 0; --i) {
    add_in_step(y, kExp2OfWeights + i);
    multiply_in_step(y, rest);
  }
  add_in_step(y, kExp2OfWeights);
  const __m256 least = _mm256_set1_ps(kExpLow);
#pragma GCC unroll 8
  for (int j = 0; j < kWeightChains; ++j) {
    const __m256 none = _mm256_cmp_ps(_mm256_load_ps(x.of[j]), least, _CMP_LT_OQ);
    y[j] = _mm256_andnot_ps(none, times_power_of_two(y[j], _mm256_load_ps(power.of[j])));
  }
}

}  // namespace
}  // namespace ert::kernels
