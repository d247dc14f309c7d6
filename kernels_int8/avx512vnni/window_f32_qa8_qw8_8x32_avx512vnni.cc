// int8 convolution for AVX512-VNNI over quantized pixels where they lie: 8 outputs x 32 filters in 16 accumulators. All outputs have one scale, so
// the epilogue's factors and corrections are those of a column.
#include "kernels_int8/avx512vnni/gemm_tile.h"
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

constexpr size_t kMostOutputs = 8, kLine = 64;

// Outputs from `src` and `dst` on, panels from `filter` on, the last of which has the columns of `last`.
template <int kOutputs, int kPanels>
__attribute__((noinline)) void window_tile(const WindowArgs& a, const uint8_t* src, float* dst, size_t filter, __mmask16 last) {
  const size_t k = a.rows * a.taps * a.channels, panel = 16 * k, step = a.src_step;
  __m512i acc[kOutputs][kPanels];
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) acc[r][p] = zero();
  }
  const int8_t* rhs = a.w.data + filter * k;
  for (size_t i = 0; i < a.rows; ++i, src += a.src_row) {
    const uint8_t* tap = src;
    for (size_t j = 0; j < a.taps; ++j, tap += a.src_tap) {
      for (size_t c = 0; c < a.channels; c += 4, rhs += kLine) {
        __m512i line[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(rhs + p * panel);
#pragma GCC unroll 16
        for (int r = 0; r < kOutputs; ++r) mac_row<kPanels>(acc[r], tap + c + static_cast<size_t>(r) * step, line);
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    const __mmask16 mask = p + 1 < kPanels ? static_cast<__mmask16>(0xffff) : last;
    const size_t column = filter + 16 * static_cast<size_t>(p);
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(a.scale.scale), _mm512_maskz_loadu_ps(mask, a.w.scale + column));
    const __m512i colsum = _mm512_maskz_loadu_epi32(mask, a.w.colsum + column);
    const __m512i correction = _mm512_mullo_epi32(_mm512_set1_epi32(a.scale.zero_point), colsum);
    // x + -0 is x for every x, so a missing bias needs no second form.
    const __m512 bias = a.w.bias != nullptr ? _mm512_maskz_loadu_ps(mask, a.w.bias + column) : _mm512_set1_ps(-0.0f);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const __m512 sum = _mm512_cvtepi32_ps(_mm512_sub_epi32(acc[r][p], correction));
      __m512 y = _mm512_add_ps(_mm512_mul_ps(sum, scale), bias);
      if (a.clamp != Clamp::kNone) y = _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), y), _mm512_setzero_ps());
      if (a.clamp == Clamp::kRelu6) y = _mm512_min_ps(_mm512_set1_ps(6.0f), y);
      _mm512_mask_storeu_ps(dst + static_cast<ptrdiff_t>(r) * a.dst_stride + column, mask, y);
    }
  }
}

using WindowTileFn = void (*)(const WindowArgs&, const uint8_t*, float*, size_t, __mmask16);
constexpr WindowTileFn kWindows1[kMostOutputs] = {window_tile<1, 1>, window_tile<2, 1>, window_tile<3, 1>, window_tile<4, 1>,
                                                window_tile<5, 1>, window_tile<6, 1>, window_tile<7, 1>, window_tile<8, 1>};
constexpr WindowTileFn kWindows2[kMostOutputs] = {window_tile<1, 2>, window_tile<2, 2>, window_tile<3, 2>, window_tile<4, 2>,
                                                window_tile<5, 2>, window_tile<6, 2>, window_tile<7, 2>, window_tile<8, 2>};

}  // namespace

void window_f32_qa8_qw8_8x32_avx512vnni(const WindowArgs& given) {
  WindowArgs a = given;
  if (a.src_tap == a.channels) {  // taps side by side are one long one
    a.channels *= a.taps;
    a.taps = 1;
  }
  for (size_t filter = 0; filter < a.filters;) {
    const size_t left = a.filters - filter, columns = left < 32 ? left : 32, in_last = (columns - 1) % 16 + 1;
    const WindowTileFn* tiles = columns > 16 ? kWindows2 : kWindows1;
    for_even_blocks(a.outputs, kMostOutputs, [&](size_t first, size_t outputs) {
      tiles[outputs - 1](a, a.src + first * a.src_step, a.dst + static_cast<ptrdiff_t>(first) * a.dst_stride, filter,
                         static_cast<__mmask16>((1u << in_last) - 1));
    });
    filter += columns;
  }
}

}  // namespace ert::kernels
