// Depthwise convolution over 8-bit maps with 256-bit VNNI: of 16 channels the bytes of four pixels are brought together, so that one instruction adds four taps.
#include "kernels_int8/avxvnni/map_sums.h"

namespace ert::kernels {
namespace {

constexpr int kMapPairs = 2;

struct FourPixels {
  __m256i part[2];
};
using FourTaps = FourPixels;

ERT_LANES __m256i join(__m128i low, __m128i high) { return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1); }

ERT_LANES FourPixels four_pixels(const uint8_t* src, size_t step) {
  const auto pixel = [=](size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i * step)); };
  const __m128i p0 = pixel(0), p1 = pixel(1), p2 = pixel(2), p3 = pixel(3);
  const __m128i a = _mm_unpacklo_epi8(p0, p1), b = _mm_unpacklo_epi8(p2, p3), c = _mm_unpackhi_epi8(p0, p1),
                d = _mm_unpackhi_epi8(p2, p3);
  return {{join(_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)), join(_mm_unpacklo_epi16(c, d), _mm_unpackhi_epi16(c, d))}};
}

ERT_LANES FourTaps taps_of(const int8_t* weights) { return {{half_line(weights), half_line(weights + 32)}}; }
ERT_LANES FourTaps next_taps_of(const int8_t* weights) {
  return {{_mm256_slli_epi32(half_line(weights), 8), _mm256_slli_epi32(half_line(weights + 32), 8)}};
}

ERT_LANES Sums add_taps(Sums acc, const FourPixels& x, const FourTaps& w) {
  mac(acc.part[0], x.part[0], w.part[0]);
  mac(acc.part[1], x.part[1], w.part[1]);
  return acc;
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/simd/map_depthwise16.h"

namespace ert::kernels {

void ERT_AVXVNNI_NAME(mapdepthwise_f32_qm8_qw8_4x16)(const MapDepthwiseArgs& a) { map_depthwise16(a); }

}  // namespace ert::kernels
