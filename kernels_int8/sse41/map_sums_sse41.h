// Sums of products of bytes with int8 weights of N16K4, 16 columns as four registers, for convolutions over maps on SSE4.1. Internal linkage.
#pragma once

#include "kernels_int8/sse41/lanes16_sse41.h"
#include "kernels_int8/sse41/signed_bytes.h"

namespace ert::kernels {
namespace {

struct Sums {
  __m128i part[4];
};

ERT_LANES Sums column_multiple(const int32_t* colsum, int32_t factor) {
  const __m128i f = _mm_set1_epi32(factor);
  Sums s;
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) s.part[j] = _mm_mullo_epi32(f, _mm_loadu_si128(reinterpret_cast<const __m128i*>(colsum + 4 * j)));
  return s;
}
ERT_LANES Lanes to_lanes(const Sums& s) {
  return {_mm_cvtepi32_ps(s.part[0]), _mm_cvtepi32_ps(s.part[1]), _mm_cvtepi32_ps(s.part[2]), _mm_cvtepi32_ps(s.part[3])};
}

}  // namespace
}  // namespace ert::kernels
