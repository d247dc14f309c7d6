// The values of a row of an 8-bit map, or added to others.
#include <string.h>

#include "kernels_int8/avx512vnni/intrinsics.h"
#include "kernels_int8/avx512vnni/lane_mask.h"
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/simd/repeated_factors.h"

namespace ert::kernels {
namespace {

constexpr size_t kRestoreStep = 64;

// All sixteen lanes of a vector, or those of a mask.
struct AllLanes {
  inline __attribute__((always_inline)) __m512 load(const float* p) const { return _mm512_loadu_ps(p); }
  inline __attribute__((always_inline)) __m128i load(const uint8_t* p) const { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  inline __attribute__((always_inline)) void store(float* p, __m512 y) const { _mm512_storeu_ps(p, y); }
};
struct SomeLanes {
  __mmask16 mask;
  inline __attribute__((always_inline)) __m512 load(const float* p) const { return _mm512_maskz_loadu_ps(mask, p); }
  inline __attribute__((always_inline)) __m128i load(const uint8_t* p) const { return _mm_maskz_loadu_epi8(mask, p); }
  inline __attribute__((always_inline)) void store(float* p, __m512 y) const { _mm512_mask_storeu_ps(p, mask, y); }
};

template <bool kAdd, Clamp kClamp>
struct Restored {
  const MapRestoreArgs& a;
  __m512i zero_point;
  __m512 scale;

  explicit Restored(const MapRestoreArgs& args)
      : a(args), zero_point(_mm512_set1_epi32(args.scale.zero_point)), scale(_mm512_set1_ps(args.scale.scale)) {}

  // Sixteen values from `at` on; factors: of the first of them.
  template <bool kFactors, class Lanes>
  inline __attribute__((always_inline)) void store16(size_t at, const float* factors, Lanes lanes) const {
    const __m512i q = _mm512_cvtepu8_epi32(lanes.load(a.src + at));
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(q, zero_point)), scale);
    if (kFactors) y = _mm512_mul_ps(y, lanes.load(factors));
    if (kAdd) y = _mm512_add_ps(lanes.load(a.dst + at), y);
    if (kClamp != Clamp::kNone) y = _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), y), _mm512_setzero_ps());
    if (kClamp == Clamp::kRelu6) y = _mm512_min_ps(_mm512_set1_ps(6.0f), y);
    lanes.store(a.dst + at, y);
  }

  template <class Kind>
  inline __attribute__((always_inline)) void values(const Kind& kind) const {
    const size_t n = a.pixels * a.channels;
    size_t i = 0, channel = 0;
    for (; i + kRestoreStep <= n; i += kRestoreStep, channel = kind.next(channel)) {
      const float* factors = kind.factors_of(channel);
#pragma GCC unroll 4
      for (size_t j = 0; j < kRestoreStep; j += 16)
        store16<Kind::kFactors>(i + j, factors + (Kind::kFactors ? j : 0), AllLanes());
    }
    const float* factors = kind.factors_of(channel);
    for (size_t j = 0; i + j < n; j += 16)
      store16<Kind::kFactors>(i + j, factors + (Kind::kFactors ? j : 0), SomeLanes{lane_mask(n - i - j)});
  }

  // Of channels that are whole vectors: their factors stay in a register from pixel to pixel.
  void sixteens() const {
    const size_t n = a.pixels * a.channels;
    for (size_t c = 0; c < a.channels; c += 16) {
      float factors[16];
      memcpy(factors, a.factors + c, sizeof(factors));
#pragma GCC unroll 4
      for (size_t at = c; at < n; at += a.channels) store16<true>(at, factors, AllLanes());
    }
  }

  void all() const {
    if (a.factors == nullptr) return values(PlainValues());
    if (a.channels % 16 == 0) return sixteens();
    values(ValuesTimesFactors<kRestoreStep>{{a.factors, a.channels}});
  }
};

template <bool kAdd>
void restore(const MapRestoreArgs& a) {
  switch (a.clamp) {
    case Clamp::kNone: return Restored<kAdd, Clamp::kNone>(a).all();
    case Clamp::kRelu: return Restored<kAdd, Clamp::kRelu>(a).all();
    case Clamp::kRelu6: return Restored<kAdd, Clamp::kRelu6>(a).all();
  }
}

}  // namespace

void maprestore_f32_qm8_1x16_avx512vnni(const MapRestoreArgs& a) {
  if (a.add) return restore<true>(a);
  restore<false>(a);
}

}  // namespace ert::kernels
