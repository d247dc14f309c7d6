// Which rows become low rows of AVX2 or SSE4.1 (avx2/low_bytes.h): those that gelu_quantize_rows makes, all of them, and of quantize_rows all of a call or none, by a look at some. It
// decides how long products take, never bits.
#pragma once

#include <stddef.h>

namespace ert::kernels {
namespace {

// Of how many rows the first 128 values decide. Of shorter rows quantize_rows makes none low: where weights allow to sum two lines, as in most convolutions, nothing is won.
constexpr size_t kLowRowsOfATrial = 3, kLowValuesOfATrial = 128, kLeastLowValues = 1024;

// Whether the least of a row's first values is near 0 beside the largest, and so is the mean: then few lines have to be split. Means of the ends of eight lanes stand
// for both ends, which the compiler makes vectors of and which is good enough for a guess.
inline bool lies_low(const float* row) {
  constexpr size_t kLanesOfATrial = 8;
  float low[kLanesOfATrial] = {}, high[kLanesOfATrial] = {}, sum[kLanesOfATrial] = {};
  for (size_t i = 0; i < kLowValuesOfATrial; i += kLanesOfATrial) {
    for (size_t j = 0; j < kLanesOfATrial; ++j) {
      const float x = row[i + j];
      low[j] = x < low[j] ? x : low[j];
      high[j] = x > high[j] ? x : high[j];
      sum[j] += x;
    }
  }
  float lows = 0.0f, highs = 0.0f, all = 0.0f;
  for (size_t j = 0; j < kLanesOfATrial; ++j) lows += low[j], highs += high[j], all += sum[j];
  return -4.0f * lows < highs && 2.5f * kLanesOfATrial / kLowValuesOfATrial * all < highs;
}

inline bool rows_are_low(size_t m, size_t k, const float* src, ptrdiff_t src_stride) {
  if (k < kLeastLowValues) return false;
  const size_t rows = m < kLowRowsOfATrial ? m : kLowRowsOfATrial;
  for (size_t i = 0; i < rows; ++i) {
    if (!lies_low(src + static_cast<ptrdiff_t>(i * (m - 1) / (kLowRowsOfATrial - 1)) * src_stride)) return false;
  }
  return true;
}

}  // namespace
}  // namespace ert::kernels
