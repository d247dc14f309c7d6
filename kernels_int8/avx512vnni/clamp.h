// Relu and Relu6 of a sum, for kernels whose additions fill the pipes that comparisons of floats take too: what kind of number x is decides in one
// instruction, and 6 is the smaller one by bits.
#pragma once

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/contract/clamp.h"

namespace ert::kernels {
namespace {

// NaN becomes the one whose sign is set: by bits it is less than 6.
inline __attribute__((always_inline)) __m512 relu_by_kind(__m512 x) {
  // From the lowest four bits on: quiet and signalling NaN, 0, 1, -inf, inf, below 0, above 0; 3 gives NaN, 8 +0, 0 x.
  const __m512i kinds = _mm512_set1_epi32(0x08080833);
  return _mm512_fixupimm_ps(x, x, kinds, 0);
}

// The branches are those of a whole run of outputs.
inline __attribute__((always_inline)) __m512 clamped_by_kind(Clamp clamp, __m512 x) {
  if (clamp == Clamp::kNone) return x;
  const __m512 y = relu_by_kind(x);
  if (clamp == Clamp::kRelu) return y;
  const __m512i six = _mm512_castps_si512(_mm512_set1_ps(6.0f));
  return _mm512_castsi512_ps(_mm512_min_epi32(_mm512_castps_si512(y), six));
}

}  // namespace
}  // namespace ert::kernels
