// Products of W12A13 for 256-bit VNNI: 6 outputs x 16 columns, vpdpwssd of pairs.

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/avxvnni/names.h"
// clang-format on

namespace ert::kernels {
namespace {

constexpr int kWideOutputs = 6, kWidePanels = 1, kWideSums = 6;

struct Sums {
  __m256i part[2];
};
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm256_cvtepi32_ps(s.part[0]), _mm256_cvtepi32_ps(s.part[1])}; }
ERT_LANES Sums zero_sums() { return {{_mm256_setzero_si256(), _mm256_setzero_si256()}}; }
ERT_LANES Sums sum_of(const Sums& a, const Sums& b) {
  return {{_mm256_add_epi32(a.part[0], b.part[0]), _mm256_add_epi32(a.part[1], b.part[1])}};
}

// As asm because GCC 12 spills wide tiles built from the intrinsic.
ERT_LANES void add_products(__m256i& acc, __m256i w, __m256i x) { __asm__(ERT_VEX "vpdpwssd %2, %1, %0" : "+x"(acc) : "x"(w), "x"(x)); }

template <int kOutputs, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs][1], const int16_t* weights, size_t, const Pair& pair) {
  const __m256i w0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
  const __m256i w1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 16));
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) {
    const __m256i x = _mm256_set1_epi32(pair(r));
    add_products(acc[r][0].part[0], w0, x);
    add_products(acc[r][0].part[1], w1, x);
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/wide16.h"

namespace ert::kernels {

void ERT_AVXVNNI_NAME(wide_f32_qa13_qw12_6x16)(const WideArgs& a) { wide16(a); }
void ERT_AVXVNNI_NAME(gemm_f32_qa13_qw12_6x16)(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
