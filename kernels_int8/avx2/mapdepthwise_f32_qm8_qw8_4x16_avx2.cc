// Depthwise convolution over 8-bit maps for AVX2: pairs of pixels as int16 times pairs of taps.
#include "kernels_int8/avx2/map_sums_avx2.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 2;

ERT_LANES Sums start_of_taps(const int32_t* colsum, int32_t zero_point) { return column_multiple(colsum, -zero_point); }

// Of 8 channels each: pixels 0 and 1, or taps 0 and 1, as int16 side by side; and 2 and 3.
struct FourPixels {
  __m256i first[2], second[2];
};
using FourTaps = FourPixels;

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  const auto pixel = [=](size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i * step)); };
  const __m128i p0 = pixel(0), p1 = pixel(1), p2 = pixel(2), p3 = pixel(3);
  return {{_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(p0, p1)), _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(p0, p1))},
          {_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(p2, p3)), _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(p2, p3))}};
}

// Bytes to the upper halves of words, then down with their signs.
ERT_LANES __m256i words(__m256i w, __m256i order) { return _mm256_srai_epi16(_mm256_shuffle_epi8(w, order), 8); }
ERT_LANES FourTaps spread(__m256i w0, __m256i w1) {
  const __m256i first = _mm256_setr_epi8(-1, 0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1, 0, -1, 1, -1, 4, -1, 5, -1,
                                         8, -1, 9, -1, 12, -1, 13);
  const __m256i second = _mm256_setr_epi8(-1, 2, -1, 3, -1, 6, -1, 7, -1, 10, -1, 11, -1, 14, -1, 15, -1, 2, -1, 3, -1, 6, -1, 7,
                                          -1, 10, -1, 11, -1, 14, -1, 15);
  return {{words(w0, first), words(w1, first)}, {words(w0, second), words(w1, second)}};
}
ERT_LANES FourTaps taps_of(const int8_t* weights) { return spread(load_bytes(weights), load_bytes(weights + 32)); }
ERT_LANES FourTaps next_taps_of(const int8_t* weights) {
  return spread(_mm256_slli_epi32(load_bytes(weights), 8), _mm256_slli_epi32(load_bytes(weights + 32), 8));
}

ERT_LANES Sums add_taps(Sums acc, const FourPixels& x, const FourTaps& w) {
  for (int j = 0; j < 2; ++j) {
    const __m256i products =
        _mm256_add_epi32(_mm256_madd_epi16(x.first[j], w.first[j]), _mm256_madd_epi16(x.second[j], w.second[j]));
    acc.part[j] = _mm256_add_epi32(acc.part[j], products);
  }
  return acc;
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void mapdepthwise_f32_qm8_qw8_4x16_avx2(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
