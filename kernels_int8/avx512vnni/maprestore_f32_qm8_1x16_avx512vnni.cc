// The values of a row of an 8-bit map, or added to others.
#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/avx512vnni/lane_mask.h"
#include "kernels_int8/contract/conv_kernels.h"

namespace ert::kernels {
namespace {

struct Restored {
  const MapRestoreArgs& a;
  __m512i zero_point;
  __m512 scale;

  // Sixteen values from `at` on, those of the mask.
  template <bool kAdd, bool kFactors>
  inline __attribute__((always_inline)) void store16(size_t at, size_t channel, __mmask16 mask) const {
    const __m512i q = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, a.src + at));
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(q, zero_point)), scale);
    if (kFactors) y = _mm512_mul_ps(y, _mm512_maskz_loadu_ps(mask, a.factors + channel));
    if (kAdd) y = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, a.dst + at), y);
    if (a.clamp != Clamp::kNone) y = _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), y), _mm512_setzero_ps());
    if (a.clamp == Clamp::kRelu6) y = _mm512_min_ps(_mm512_set1_ps(6.0f), y);
    _mm512_mask_storeu_ps(a.dst + at, mask, y);
  }

  template <bool kAdd>
  void all() const {
    const size_t n = a.pixels * a.channels;
    if (a.factors == nullptr) {
      for (size_t i = 0; i < n; i += 16) store16<kAdd, false>(i, 0, lane_mask(n - i));
    } else {
      for (size_t p = 0; p < n; p += a.channels) {
        for (size_t c = 0; c < a.channels; c += 16) store16<kAdd, true>(p + c, c, lane_mask(a.channels - c));
      }
    }
  }
};

}  // namespace

void maprestore_f32_qm8_1x16_avx512vnni(const MapRestoreArgs& a) {
  const Restored r = {a, _mm512_set1_epi32(a.scale.zero_point), _mm512_set1_ps(a.scale.scale)};
  if (a.add) return r.all<true>();
  r.all<false>();
}

}  // namespace ert::kernels
