// Products of W12A13 for AVX2: 4 outputs x 16 columns, pmaddwd of pairs.
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/avx2/quantize_row.h"

namespace ert::kernels {
namespace {

constexpr int kWideOutputs = 4, kWidePanels = 1, kWideSums = 1;

struct Sums {
  __m256i part[2];
};
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm256_cvtepi32_ps(s.part[0]), _mm256_cvtepi32_ps(s.part[1])}; }

// GCC 12 would fetch the second half of a line once for each output, and copy every sum once a step.
ERT_LANES void keep_in_registers(__m256i& a, __m256i& b) { asm("" : "+x"(a), "+x"(b)); }
ERT_LANES void add_products(__m256i& acc, __m256i w, __m256i x) {
  asm("vpaddd %1, %0, %0" : "+x"(acc) : "x"(_mm256_madd_epi16(w, x)));
}

ERT_LANES Sums zero_sums() { return {{_mm256_setzero_si256(), _mm256_setzero_si256()}}; }

template <int kOutputs, class Pair>
ERT_LANES void add_line(Sums (&acc)[kOutputs][1], const int16_t* weights, size_t, const Pair& pair) {
  __m256i w0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
  __m256i w1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 16));
  keep_in_registers(w0, w1);
#pragma GCC unroll 4
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

void wide_f32_qa13_qw12_4x16_avx2(const WideArgs& a) { wide16(a); }
void gemm_f32_qa13_qw12_4x16_avx2(const GemmArgs& g) { wide16(wide_args(g)); }

}  // namespace ert::kernels
