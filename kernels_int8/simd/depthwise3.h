// Whole rows of a depthwise convolution of three columns, 16 channels at a time: their weights stay in registers from the first output of the row to
// the last. For levels with 32 registers of 16 lanes. Include a lanes16_<isa>.h first. Clamping::clamped is clamped() of simd/clamp.h in
// its own way.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"

namespace ert::kernels {
namespace {

template <int n>
struct Tap {
  static constexpr int value = n;
};

// Channels [c, c + count) of all lines; 16 unless kPartial, where eight are done in pairs of outputs. kSlides: the taps of an output are those of the
// one before, moved by one, and so is what has been loaded of them.
template <class Clamping, int kRows, bool kPartial, bool kPairs, bool kSlides>
ERT_LANES void depthwise3_channels(const Depthwise3Args& a, size_t c, size_t count) {
  const auto fetch = [&](const float* p) { return kPartial ? load_first(p, count) : load(p); };
  Lanes w[kRows][3];
#pragma GCC unroll 3
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) w[i][j] = fetch(a.weights + c + static_cast<size_t>(3 * i + j) * a.channels);
  }
  const Lanes start = a.bias != nullptr ? fetch(a.bias + c) : broadcast(0.0f);
  // Locals, which no store can change: a pointer to the middle tap of each row, and steps that all of them share.
  const ptrdiff_t tap = a.src_tap, step = a.src_step;
  const ptrdiff_t channels = static_cast<ptrdiff_t>(a.channels);
  const size_t outputs = a.outputs, behind = a.behind;
  const Clamp clamp = a.clamp;
  float* dst = a.dst + c;
  const float* src[kRows];
  const auto advance = [&](ptrdiff_t by) __attribute__((always_inline)) {
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
      src[i] += by * step;
      __asm__("" : "+r"(src[i]));  // else nine offsets from one pointer, more than there are registers
    }
    dst += by * channels;
  };
  const auto output = [&](auto first, auto last) __attribute__((always_inline)) {
    Lanes acc = start;
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
      for (int j = decltype(first)::value; j < decltype(last)::value; ++j) acc = acc + fetch(src[i] + (j - 1) * tap) * w[i][j];
    }
    acc = Clamping::clamped(clamp, acc);
    if (kPartial) {
      store_first(dst, acc, count);
    } else {
      store(dst, acc);
    }
    advance(1);
  };
  for (size_t line = 0; line < a.lines; ++line) {
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) src[i] = a.src + c + static_cast<ptrdiff_t>(line) * a.src_line + i * a.src_row;
    for (size_t i = 0; i < a.before; ++i) output(Tap<1>(), Tap<3>());
    size_t p = a.before;
    if constexpr (kPairs) {
      Lanes w2[kRows][3];
#pragma GCC unroll 3
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) w2[i][j] = first_half_twice(w[i][j]);
      }
      const Lanes start2 = first_half_twice(start);
      for (; p + 1 + behind < outputs; p += 2) {
        Lanes acc = start2;
#pragma GCC unroll 3
        for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j) {
            const float* x = src[i] + (j - 1) * tap;
            acc = acc + load_halves(x, x + step) * w2[i][j];
          }
        }
        store_halves(dst, dst + channels, Clamping::clamped(clamp, acc));
        advance(2);
      }
    }
    if constexpr (kSlides) {
      if (p + 1 + behind < outputs) {
        Lanes x[kRows][4];  // of taps 0 and 1 of the first of two outputs, then 1 and 2 of the second
#pragma GCC unroll 3
        for (int i = 0; i < kRows; ++i) x[i][0] = load(src[i] - tap), x[i][1] = load(src[i]);
        for (; p + 1 + behind < outputs; p += 2) {
          Lanes even = start, odd = start;
#pragma GCC unroll 3
          for (int i = 0; i < kRows; ++i) {
            x[i][2] = load(src[i] + tap);
            x[i][3] = load(src[i] + 2 * tap);
#pragma GCC unroll 3
            for (int j = 0; j < 3; ++j) even = even + x[i][j] * w[i][j], odd = odd + x[i][j + 1] * w[i][j];
            x[i][0] = x[i][2];
            x[i][1] = x[i][3];
          }
          store(dst, Clamping::clamped(clamp, even));
          store(dst + channels, Clamping::clamped(clamp, odd));
          advance(2);
        }
      }
    }
    for (; p + behind < outputs; ++p) output(Tap<0>(), Tap<3>());
    for (size_t i = 0; i < behind; ++i) output(Tap<0>(), Tap<2>());
  }
}

template <class Clamping, int kRows>
__attribute__((noinline)) void depthwise3_rows(const Depthwise3Args& a) {
  size_t c = 0;
  if (a.src_step == a.src_tap) {
    for (; c + 16 <= a.channels; c += 16) depthwise3_channels<Clamping, kRows, false, false, true>(a, c, 16);
  } else {
    for (; c + 16 <= a.channels; c += 16) depthwise3_channels<Clamping, kRows, false, false, false>(a, c, 16);
  }
  if (a.channels - c == 8) return depthwise3_channels<Clamping, kRows, true, true, false>(a, c, 8);
  if (c < a.channels) depthwise3_channels<Clamping, kRows, true, false, false>(a, c, a.channels - c);
}

template <class Clamping>
inline void depthwise3_row(const Depthwise3Args& a) {
  if (a.rows == 3) return depthwise3_rows<Clamping, 3>(a);
  if (a.rows == 2) return depthwise3_rows<Clamping, 2>(a);
  depthwise3_rows<Clamping, 1>(a);
}

}  // namespace
}  // namespace ert::kernels
