// Products of W12A13 for SSE4.1: 2 outputs x 16 columns, pmaddwd of pairs.
#include "kernels_int8/sse41/lanes16_sse41.h"

namespace ert::kernels {
namespace {

constexpr int kWideOutputs = 2, kWidePanels = 1, kWideSums = 1;

struct Sums {
  __m128i part[4];
};
ERT_LANES Lanes to_lanes(const Sums& s) {
  return {_mm_cvtepi32_ps(s.part[0]), _mm_cvtepi32_ps(s.part[1]), _mm_cvtepi32_ps(s.part[2]), _mm_cvtepi32_ps(s.part[3])};
}

ERT_LANES Sums zero_sums() {
  const __m128i zero = _mm_setzero_si128();
  return {{zero, zero, zero, zero}};
}

template <int kOutputs, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs][1], const int16_t* weights, size_t, const Pair& pair) {
  __m128i x[kOutputs];
#pragma GCC unroll 2
  for (int r = 0; r < kOutputs; ++r) x[r] = _mm_set1_epi32(pair(r));
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m128i w = _mm_load_si128(reinterpret_cast<const __m128i*>(weights + 8 * j));
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) acc[r][0].part[j] = _mm_add_epi32(acc[r][0].part[j], _mm_madd_epi16(w, x[r]));
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/wide16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_2x16_sse41(const WideArgs& a) { wide16(a); }
void gemm_f32_qa13_qw12_2x16_sse41(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
