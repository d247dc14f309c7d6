// Depthwise convolution over 8-bit maps for SSE4.1: pairs of pixels as int16 times pairs of taps.
#include "kernels_int8/sse41/map_sums_sse41.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 2;

ERT_LANES Sums start_of_taps(const int32_t* colsum, int32_t zero_point) { return column_multiple(colsum, -zero_point); }

// Of 4 channels each: pixels 0 and 1, or taps 0 and 1, as int16 side by side; and 2 and 3.
struct FourPixels {
  __m128i first[4], second[4];
};
using FourTaps = FourPixels;

ERT_LANES void two_pixels(__m128i p, __m128i q, __m128i (&to)[4]) {
  const __m128i low = _mm_unpacklo_epi8(p, q), high = _mm_unpackhi_epi8(p, q), zero = _mm_setzero_si128();
  to[0] = _mm_unpacklo_epi8(low, zero);
  to[1] = _mm_unpackhi_epi8(low, zero);
  to[2] = _mm_unpacklo_epi8(high, zero);
  to[3] = _mm_unpackhi_epi8(high, zero);
}

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  const auto pixel = [=](size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i * step)); };
  FourPixels x;
  two_pixels(pixel(0), pixel(1), x.first);
  two_pixels(pixel(2), pixel(3), x.second);
  return x;
}

// Bytes to the upper halves of words, then down with their signs.
template <int kShift>
ERT_LANES FourTaps spread(const int8_t* weights) {
  const __m128i first = _mm_setr_epi8(-1, 0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13);
  const __m128i second = _mm_setr_epi8(-1, 2, -1, 3, -1, 6, -1, 7, -1, 10, -1, 11, -1, 14, -1, 15);
  FourTaps t;
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m128i w = _mm_slli_epi32(load_bytes(weights + 16 * j), kShift);
    t.first[j] = _mm_srai_epi16(_mm_shuffle_epi8(w, first), 8);
    t.second[j] = _mm_srai_epi16(_mm_shuffle_epi8(w, second), 8);
  }
  return t;
}
ERT_LANES FourTaps taps_of(const int8_t* weights) { return spread<0>(weights); }
ERT_LANES FourTaps next_taps_of(const int8_t* weights) { return spread<8>(weights); }

ERT_LANES Sums add_taps(Sums acc, const FourPixels& x, const FourTaps& w) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m128i products = _mm_add_epi32(_mm_madd_epi16(x.first[j], w.first[j]), _mm_madd_epi16(x.second[j], w.second[j]));
    acc.part[j] = _mm_add_epi32(acc.part[j], products);
  }
  return acc;
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_4x16_sse41(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
