// Sums of the channels of a row of an 8-bit map: four channels in a word, as int16 pairs.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

constexpr size_t kMostAtOnce = 257;  // bytes whose sum fits 16 bits

inline void add(const MapSumArgs& a, size_t c, int32_t sum) {
  sum -= static_cast<int32_t>(a.pixels) * a.scale.zero_point;
  a.t[c] = to_float(F32(a.t[c]) + F32(static_cast<float>(sum)) * F32(a.scale.scale));
}

void four_channels(const MapSumArgs& a, size_t c) {
  const uint8_t* src = a.src + c;
  uint32_t sums[4] = {};
  for (size_t left = a.pixels; left > 0;) {
    const size_t n = left < kMostAtOnce ? left : kMostAtOnce;
    uint32_t even = 0, odd = 0;
    for (size_t p = n; p > 0; --p, src += a.channels)
      __asm__("uxtab16 %[even], %[even], %[word]\n\tuxtab16 %[odd], %[odd], %[word], ror #8"
              : [even] "+r"(even), [odd] "+r"(odd)
              : [word] "r"(*static_cast<const uint32_t*>(static_cast<const void*>(src))));
    sums[0] += even & 0xffff, sums[1] += odd & 0xffff, sums[2] += even >> 16, sums[3] += odd >> 16;
    left -= n;
  }
  for (size_t i = 0; i < 4; ++i) add(a, c + i, static_cast<int32_t>(sums[i]));
}

}  // namespace

void mapsum_f32_qm8_1x4_dsp(const MapSumArgs& a) {
  size_t c = 0;
  if ((reinterpret_cast<uintptr_t>(a.src) | a.channels) % 4 == 0) {
    for (; c < a.channels; c += 4) four_channels(a, c);
  }
  for (; c < a.channels; ++c) {
    int32_t sum = 0;
    for (size_t p = 0; p < a.pixels; ++p) sum += a.src[p * a.channels + c];
    add(a, c, sum);
  }
}

}  // namespace ert::kernels
