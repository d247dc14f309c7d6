// Depthwise convolution over 8-bit maps for AVX512-VNNI: of 16 channels the bytes of four pixels are brought together, so that one instruction adds four taps.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 4;

struct Sums {
  __m512i v;
};
struct FourPixels {
  __m512i v;
};
using FourTaps = FourPixels;

ERT_LANES Sums start_of_taps(const int32_t* colsum, int32_t zero_point) {
  return {_mm512_mullo_epi32(_mm512_set1_epi32(-zero_point), _mm512_loadu_si512(colsum))};
}
ERT_LANES Lanes to_lanes(Sums s) { return {_mm512_cvtepi32_ps(s.v)}; }

ERT_LANES __m128i pixel(const uint8_t* p) { return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(p))); }

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  __m512i x = _mm512_castsi128_si512(pixel(src));
  x = _mm512_inserti32x4(x, pixel(src + step), 1);
  x = _mm512_inserti32x4(x, pixel(src + 2 * step), 2);
  x = _mm512_inserti32x4(x, pixel(src + 3 * step), 3);
  const __m512i fours = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  return {_mm512_shuffle_epi8(_mm512_permutexvar_epi32(fours, x), bytes)};
}

ERT_LANES FourTaps taps_of(const int8_t* weights) { return {_mm512_loadu_si512(weights)}; }
ERT_LANES FourTaps next_taps_of(const int8_t* weights) { return {_mm512_slli_epi32(_mm512_loadu_si512(weights), 8)}; }
ERT_LANES Sums add_taps(Sums acc, FourPixels x, FourTaps w) { return {_mm512_dpbusd_epi32(acc.v, x.v, w.v)}; }

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_4x16_avx512vnni(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
