// What both convolutions over maps do with sums of the kernel's rows: the scale of the row, and at the end scale, bias and clamp of the columns.
#pragma once

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/avx512vnni/lane_mask.h"
#include "kernels_int8/contract/conv_kernels.h"

namespace ert::kernels {
namespace {

// Where the sums of 16 columns begin, so that they come out without the zero point.
inline __attribute__((always_inline)) __m512i map_start(const int32_t* colsum, const RowScale& s) {
  return _mm512_mullo_epi32(_mm512_set1_epi32(-s.zero_point), _mm512_loadu_si512(colsum));
}

inline __attribute__((always_inline)) __m512 map_part(__m512i acc, __m512 scale) {
  return _mm512_mul_ps(_mm512_cvtepi32_ps(acc), scale);
}

struct MapColumns {
  __mmask16 mask;
  __m512 scale, bias;
  bool lower, upper;

  inline __attribute__((always_inline)) MapColumns(const PackedWeights& w, size_t column, size_t columns, Clamp clamp)
      : mask(lane_mask(columns)),
        scale(_mm512_maskz_loadu_ps(mask, w.scale + column)),
        // x + -0 is x for every x, so a missing bias needs no second form.
        bias(w.bias != nullptr ? _mm512_maskz_loadu_ps(mask, w.bias + column) : _mm512_set1_ps(-0.0f)),
        lower(clamp != Clamp::kNone),
        upper(clamp == Clamp::kRelu6) {}

  inline __attribute__((always_inline)) void store(float* dst, __m512 t) const {
    __m512 y = _mm512_add_ps(_mm512_mul_ps(t, scale), bias);
    if (lower) y = _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), y), _mm512_setzero_ps());
    if (upper) y = _mm512_min_ps(_mm512_set1_ps(6.0f), y);
    _mm512_mask_storeu_ps(dst, mask, y);
  }
};

}  // namespace
}  // namespace ert::kernels
