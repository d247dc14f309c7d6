// Which rows become low rows of AVX2 or SSE4.1 (avx2/low_bytes.h): those that gelu_quantize_rows makes, all of them, and of quantize_rows all of a call or none, by a look at some. It
// decides how long products take, never bits.
#pragma once

#include <stddef.h>

namespace ert::kernels {
namespace {

// Of how many rows the first 128 values decide. Of shorter rows quantize_rows makes none low: where weights allow to sum two lines, as in most convolutions, nothing is won.
constexpr size_t kLowRowsOfATrial = 3, kLowValuesOfATrial = 128, kLeastLowValues = 1024;

// Of a row's first values and 0: the ends, as means over the lanes of a vector, which is good enough for a guess; and the sum of the values.
struct LowEnds {
  float low, high, sum;
};

// Whether the least value is near 0 beside the largest, and so is the mean: then few lines have to be split. Look::of(row) gives the ends.
template <class Look>
inline bool rows_are_low(size_t m, size_t k, const float* src, ptrdiff_t src_stride) {
  if (k < kLeastLowValues) return false;
  const size_t rows = m < kLowRowsOfATrial ? m : kLowRowsOfATrial;
  for (size_t i = 0; i < rows; ++i) {
    const LowEnds e = Look::of(src + static_cast<ptrdiff_t>(i * (m - 1) / (kLowRowsOfATrial - 1)) * src_stride);
    if (!(-4.0f * e.low < e.high && 2.5f / kLowValuesOfATrial * e.sum < e.high)) return false;
  }
  return true;
}

}  // namespace
}  // namespace ert::kernels
