// Dense convolution in place by one to three filters, as of the last layer of a network that gives a mask or a colour, of a map whose channels lie side by
// side: 16 lanes across outputs, as gemm_one_column.h has rows, because most lanes of direct16.h would stay unused.
#pragma once

#include "kernels_int8/avx512vnni/gemm_one_column.h"
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/clamp.h"

namespace ert::kernels {
namespace {

// Below, a tile waits for less than what turning costs.
constexpr size_t kFewestChannels = 16, kTurned = 16, kMostTurnedFilters = 3;

template <int kFilters>
__attribute__((noinline)) void sixteen_outputs(const DirectArgs& a, const float* src, float* dst) {
  __m512 acc[kFilters];
  for (__m512& sum : acc) sum = _mm512_setzero_ps();
  const float* weights = a.weights;
  for (size_t i = 0; i < a.rows; ++i, src += a.src_row, weights += a.weights_row) {
    const float *tap = src, *w = weights;
    for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap, w += a.channels * kFilters)
      add_sixteen_products(acc, a.channels, tap, a.src_step, w, kFilters);
  }
  float results[kFilters][kTurned];
  for (int f = 0; f < kFilters; ++f) {
    const Lanes bias = broadcast(a.bias != nullptr ? a.bias[f] : -0.0f);  // x + -0 is x
    store(kFilters == 1 ? dst : results[f], clamped(a.clamp, Lanes{acc[f]} + bias));
  }
  if (kFilters == 1) return;
  for (size_t r = 0; r < kTurned; ++r)
    for (int f = 0; f < kFilters; ++f) *dst++ = results[f][r];
}

inline bool has_few_filters(const DirectArgs& a) {
  return a.filters <= kMostTurnedFilters && a.outputs >= kTurned && a.src_channel == 1 && a.channels >= kFewestChannels;
}

// Of such a run; the last sixteen outputs may do some of those before again.
inline void direct_few_filters(const DirectArgs& a) {
  constexpr void (*kOutputs[])(const DirectArgs&, const float*, float*) = {sixteen_outputs<1>, sixteen_outputs<2>, sixteen_outputs<3>};
  for (size_t output = 0; output < a.outputs; output += kTurned) {
    const size_t at = output + kTurned <= a.outputs ? output : a.outputs - kTurned;
    kOutputs[a.filters - 1](a, a.src + static_cast<ptrdiff_t>(at) * a.src_step, a.dst + at * a.filters);
  }
}

}  // namespace
}  // namespace ert::kernels
