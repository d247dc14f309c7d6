// Products of W12A13 for AVX512-VNNI: 8 outputs x 16 columns, vpdpwssd of pairs.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

namespace ert::kernels {
namespace {

constexpr int kWideOutputs = 8;

struct Sums {
  __m512i columns;
};
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm512_cvtepi32_ps(s.columns)}; }

ERT_LANES Sums zero_sums() { return {_mm512_setzero_si512()}; }

template <int kOutputs, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs], const int16_t* weights, const Pair& pair) {
  const __m512i w = _mm512_loadu_si512(weights);
#pragma GCC unroll 8
  for (int r = 0; r < kOutputs; ++r) {
    acc[r].columns = _mm512_dpwssd_epi32(acc[r].columns, w, _mm512_set1_epi32(pair(r)));
    __asm__("" : "+v"(acc[r].columns));  // a register of its own, not a copy that is made in the loop
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/wide16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_8x16_avx512vnni(const WideArgs& a) { wide16(a); }
void gemm_f32_qa13_qw12_8x16_avx512vnni(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
