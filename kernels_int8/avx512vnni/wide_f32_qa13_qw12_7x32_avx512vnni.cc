// Products of W12A13 for AVX512-VNNI: 7 outputs x 32 columns, or 14 x 16, vpdpwssd of pairs.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

namespace ert::kernels {
namespace {

constexpr int kWideOutputs = 7, kWidePanels = 2, kWideSums = 12;

struct Sums {
  __m512i columns;
};
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm512_cvtepi32_ps(s.columns)}; }

ERT_LANES Sums zero_sums() { return {_mm512_setzero_si512()}; }
ERT_LANES Sums sum_of(const Sums& a, const Sums& b) { return {_mm512_add_epi32(a.columns, b.columns)}; }

template <int kOutputs, int kPanels, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs][kPanels], const int16_t* weights, size_t panel, const Pair& pair) {
  __m512i w[kPanels];
#pragma GCC unroll 2
  for (int p = 0; p < kPanels; ++p) w[p] = _mm512_loadu_si512(weights + static_cast<size_t>(p) * panel);
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
    const __m512i x = _mm512_set1_epi32(pair(r));
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
      if constexpr (2 * kOutputs * kPanels <= kWideSums) {  // of several lines GCC 12 copies the sums of the intrinsic
        __asm__("vpdpwssd %2, %1, %0" : "+v"(acc[r][p].columns) : "v"(w[p]), "v"(x));
      } else {
        acc[r][p].columns = _mm512_dpwssd_epi32(acc[r][p].columns, w[p], x);
        __asm__("" : "+v"(acc[r][p].columns));  // a register of its own, not a copy that is made in the loop
      }
    }
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/wide16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_7x32_avx512vnni(const WideArgs& a) { wide16(a); }
void gemm_f32_qa13_qw12_7x32_avx512vnni(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
