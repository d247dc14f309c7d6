// Factors of channels for rows of pixels that are taken so many values at a time, across pixels.
#pragma once

#include <stddef.h>
#include <string.h>

namespace ert::kernels {
namespace {

// Those of kStep values from any channel on, side by side: where they lie, or in a copy of the last ones with the first ones behind.
template <size_t kStep>
class RepeatedFactors {
 public:
  RepeatedFactors(const float* factors, size_t channels) : factors_(factors), channels_(channels), advance_(kStep % channels) {
    if (channels >= kStep) {
      seam_ = channels - kStep;
      memcpy(copy_, factors + seam_, kStep * sizeof(float));
      memcpy(copy_ + kStep, factors, kStep * sizeof(float));
    } else {  // a step has all of them, and more than once
      seam_ = 0;
      memcpy(copy_, factors, channels * sizeof(float));
      repeat(channels, advance_ == 0 ? kStep : kStep + channels);
    }
  }

  const float* of(size_t channel) const { return channel < seam_ ? factors_ + channel : copy_ + (channel - seam_); }
  // The channel of the value kStep behind one of `channel`.
  size_t next(size_t channel) const {
    channel += advance_;
    return channel < channels_ ? channel : channel - channels_;
  }

 private:
  static constexpr size_t kPiece = 16;  // copies of one size are a few instructions, which counts: a row may be short

  // Of the first n, until there are `all` and a part of a piece.
  void repeat(size_t n, size_t all) {
    for (; n < kPiece; n *= 2) memcpy(copy_ + n, copy_, n * sizeof(float));
    for (size_t have = n; have < all; have += kPiece) memcpy(copy_ + have, copy_ + have - n, kPiece * sizeof(float));
  }

  const float* factors_;
  size_t channels_, advance_, seam_;
  float copy_[2 * kStep + kPiece];
};

// What a kernel reads that takes kStep values at a time: values as they are, or times the factors of their channels.
struct PlainValues {
  static constexpr bool kFactors = false;
  const float* factors_of(size_t) const { return nullptr; }
  size_t next(size_t) const { return 0; }
};
template <size_t kStep>
struct ValuesTimesFactors {
  static constexpr bool kFactors = true;
  RepeatedFactors<kStep> factors;
  const float* factors_of(size_t channel) const { return factors.of(channel); }
  size_t next(size_t channel) const { return factors.next(channel); }
};

}  // namespace
}  // namespace ert::kernels
