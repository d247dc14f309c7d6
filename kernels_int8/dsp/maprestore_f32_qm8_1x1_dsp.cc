// The values of a row of an 8-bit map: ref/maprestore_f32_qm8_1x1_ref.cc, with a loop for each form.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {
namespace {

template <bool kFactors, bool kAdd>
__attribute__((noinline)) void restore(const MapRestoreArgs& a, Clamp clamp) {
  const uint8_t* src = a.src;
  float* dst = a.dst;
  const int32_t zero_point = a.scale.zero_point;
  const F32 scale = a.scale.scale;
  const size_t outer = kFactors ? a.pixels : 1, inner = kFactors ? a.channels : a.pixels * a.channels;
  for (size_t p = 0; p < outer; ++p) {
    for (size_t c = 0; c < inner; ++c, ++dst) {
      F32 x = F32(static_cast<float>(*src++ - zero_point)) * scale;
      if constexpr (kFactors) x = x * F32(a.factors[c]);
      if constexpr (kAdd) x = F32(*dst) + x;
      *dst = to_float(clamped(clamp, x));
    }
  }
}

template <bool kFactors>
void restore_or_add(const MapRestoreArgs& a) {
  a.add ? restore<kFactors, true>(a, a.clamp) : restore<kFactors, false>(a, a.clamp);
}

}  // namespace

void maprestore_f32_qm8_1x1_dsp(const MapRestoreArgs& a) {
  a.factors != nullptr ? restore_or_add<true>(a) : restore_or_add<false>(a);
}

}  // namespace ert::kernels
