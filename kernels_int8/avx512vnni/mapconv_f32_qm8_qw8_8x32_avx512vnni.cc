// Convolution over 8-bit maps for AVX512-VNNI: 8 outputs x 32 filters, or 16 x 16, with the exact sums of one row of the kernel in registers.
#include "kernels_int8/avx512vnni/gemm_tile.h"
#include "kernels_int8/avx512vnni/map_output.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

// Four values of each of the patches of a tile. Three patches share a pointer, or there would not be registers for all.
template <int kOutputs>
struct Patches {
  static constexpr int kPointers = (kOutputs + 2) / 3;
  const uint8_t* at[kPointers];
  size_t step;

  inline __attribute__((always_inline)) Patches(const uint8_t* src, size_t bytes) : step(bytes) {
#pragma GCC unroll 16
    for (int i = 0; i < kPointers; ++i) at[i] = src + static_cast<size_t>(3 * i) * step;
  }
  inline __attribute__((always_inline)) const uint8_t* of(int r) const { return at[r / 3] + static_cast<size_t>(r % 3) * step; }
  inline __attribute__((always_inline)) void advance() {
#pragma GCC unroll 16
    for (int i = 0; i < kPointers; ++i) {
      at[i] += 4;
      __asm__("" : "+r"(at[i]));  // else each patch gets a pointer after all
    }
  }
};

// Outputs from output `first` on, columns [filter, filter + columns).
template <int kOutputs, int kPanels>
__attribute__((noinline)) void map_tile(const MapConvArgs& a, size_t first, size_t filter, size_t columns) {
  const size_t k = round_up(a.depth, 4), panel = 16 * k, all = map_columns(a.filters), step = a.src_step;
  const int8_t* weights = a.w.data + filter * k;
  const int32_t* colsum = a.w.colsum + filter;
  __m512 t[kOutputs][kPanels];
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) t[r][p] = _mm512_setzero_ps();
  }
  for (size_t i = 0; i < a.rows; ++i, weights += all * k, colsum += all) {
    const uint8_t* src = a.src[i] + first * step;
    __m512i acc[kOutputs][kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const __m512i start = map_start(colsum + 16 * p, a.scales[i]);
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) {
        acc[r][p] = start;
        __asm__("" : "+v"(acc[r][p]));  // a register of its own, not a copy that is made in the loop
      }
    }
    const int8_t *rhs = weights, *end = weights + 16 * k;
    Patches<kOutputs> patches(src, step);
    for (; rhs != end; rhs += 64, patches.advance()) {
      __m512i line[kPanels];
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) line[p] = _mm512_loadu_si512(rhs + p * panel);
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) mac_row<kPanels>(acc[r], patches.of(r), line);
    }
    const __m512 scale = _mm512_set1_ps(a.scales[i].scale);
    if (i == 0) {
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) t[r][p] = map_part(acc[r][p], scale);
      }
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) t[r][p] = _mm512_add_ps(t[r][p], map_part(acc[r][p], scale));
      }
    }
  }
  float* dst = a.dst + static_cast<ptrdiff_t>(first) * a.dst_stride + filter;
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
    const size_t at = 16 * static_cast<size_t>(p);
    const MapColumns of_panel(a.w, filter + at, columns - at, a.clamp);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) of_panel.store(dst + static_cast<ptrdiff_t>(r) * a.dst_stride + at, t[r][p]);
  }
}

using MapTileFn = void (*)(const MapConvArgs&, size_t first, size_t filter, size_t columns);
constexpr MapTileFn kOnePanel[] = {map_tile<1, 1>, map_tile<2, 1>,  map_tile<3, 1>,  map_tile<4, 1>,
                                   map_tile<5, 1>, map_tile<6, 1>,  map_tile<7, 1>,  map_tile<8, 1>,
                                   map_tile<9, 1>, map_tile<10, 1>, map_tile<11, 1>, map_tile<12, 1>,
                                   map_tile<13, 1>, map_tile<14, 1>, map_tile<15, 1>, map_tile<16, 1>};
constexpr MapTileFn kTwoPanels[] = {map_tile<1, 2>, map_tile<2, 2>, map_tile<3, 2>, map_tile<4, 2>,
                                    map_tile<5, 2>, map_tile<6, 2>, map_tile<7, 2>, map_tile<8, 2>};
// Fewer outputs than fill the pipelines with two panels.
constexpr MapTileFn kFourPanels[] = {map_tile<1, 4>, map_tile<2, 4>, map_tile<3, 4>};

template <size_t kMost>
void all_outputs(const MapTileFn (&tiles)[kMost], const MapConvArgs& a, size_t filter, size_t columns) {
  for_even_blocks(a.outputs, kMost, [&](size_t first, size_t outputs) { tiles[outputs - 1](a, first, filter, columns); });
}

}  // namespace

void mapconv_f32_qm8_qw8_8x32_avx512vnni(const MapConvArgs& a) {
  size_t filter = 0;
  if (a.outputs <= 3) {
    for (; filter + 48 < a.filters; filter += 64)
      all_outputs(kFourPanels, a, filter, a.filters - filter < 64 ? a.filters - filter : 64);
  }
  while (filter < a.filters) {
    const size_t left = a.filters - filter;
    if (left > 16) {
      all_outputs(kTwoPanels, a, filter, left < 32 ? left : 32);
      filter += 32;
    } else {
      all_outputs(kOnePanel, a, filter, left);
      filter += 16;
    }
  }
}

}  // namespace ert::kernels
