// Depthwise convolution of three columns for AArch64, whole rows, four channels at a time: their nine weights stay in registers from the first output of
// a row to the last, and where the taps of an output are those of the one before, moved by one, each input is loaded once.
#ifndef __aarch64__
#error "for AArch64"
#endif

#include <arm_neon.h>
#include <string.h>

#include <type_traits>

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

template <int n>
using Fixed = std::integral_constant<int, n>;

// Pixels of a pass. Of each a line of the cache is read, by four passes of four channels: these shall find it in the nearest cache.
constexpr size_t kNearPixels = 192;
constexpr size_t kNearOutputs = 64;

inline __attribute__((always_inline)) float32x4_t clamped_four(Clamp clamp, float32x4_t x) {
  if (clamp == Clamp::kNone) return x;
  const float32x4_t y = vmaxq_f32(x, vdupq_n_f32(0.0f));  // the larger of +0 and -0 is +0
  return clamp == Clamp::kRelu6 ? vminq_f32(y, vdupq_n_f32(6.0f)) : y;
}

// Channels [c, c + count) of all lines; four unless kPartial.
template <int kRows, bool kPartial>
inline __attribute__((always_inline)) void depthwise3_four(const Depthwise3Args& a, size_t c, size_t count) {
  const auto fetch = [&](const float* p) __attribute__((always_inline)) {
    if constexpr (!kPartial) return vld1q_f32(p);
    float copy[4] = {};
    memcpy(copy, p, count * sizeof(float));
    return vld1q_f32(copy);
  };
  float32x4_t w[kRows][3];
#pragma GCC unroll 3
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) w[i][j] = fetch(a.weights + c + static_cast<size_t>(3 * i + j) * a.channels);
  }
  const float32x4_t start = a.bias != nullptr ? fetch(a.bias + c) : vdupq_n_f32(0.0f);
  const ptrdiff_t tap = a.src_tap, step = a.src_step;
  const size_t outputs = a.outputs, channels = a.channels, before = a.before, behind = a.behind;
  const Clamp clamp = a.clamp;
  const bool slides = tap == step && outputs >= 3 && before <= 1 && behind <= 1;
  float* dst = a.dst + c;
  const float* src[kRows];
  const auto finish = [&](float32x4_t sum) __attribute__((always_inline)) {
    const float32x4_t y = clamped_four(clamp, sum);
    if constexpr (kPartial) {
      float copy[4];
      vst1q_f32(copy, y);
      memcpy(dst, copy, count * sizeof(float));
    } else {
      vst1q_f32(dst, y);
    }
    dst += channels;
  };
  // One output: taps [first, last), loaded for it alone.
  const auto alone = [&](auto first, auto last) __attribute__((always_inline)) {
    float32x4_t sum = start;
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
      for (int j = decltype(first)::value; j < decltype(last)::value; ++j)
        sum = vaddq_f32(sum, vmulq_f32(fetch(src[i] + (j - 1) * tap), w[i][j]));
      src[i] += step;
    }
    finish(sum);
  };
  // Neighbours: four columns of inputs in x, of which an output has three in a row, round about; src is at the column that comes next.
  float32x4_t x[kRows][4];
  const auto column = [&](int at) __attribute__((always_inline)) {
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
      x[i][at % 4] = fetch(src[i]);
      src[i] += tap;
    }
  };
  // Two outputs, of which the first has taps from `first` on, and the second those before `last`.
  const auto two = [&](auto from, auto first, auto last) __attribute__((always_inline)) {
    constexpr int kFrom = decltype(from)::value, kFirst = decltype(first)::value, kLast = decltype(last)::value;
    column(kFrom + 2);
    if constexpr (kLast == 3) column(kFrom + 3);
    float32x4_t even = start, odd = start;
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        if (j >= kFirst) even = vaddq_f32(even, vmulq_f32(x[i][(kFrom + j) % 4], w[i][j]));
        if (j < kLast) odd = vaddq_f32(odd, vmulq_f32(x[i][(kFrom + j + 1) % 4], w[i][j]));
      }
    }
    finish(even);
    finish(odd);
  };
  const auto one = [&](auto from, auto last) __attribute__((always_inline)) {
    constexpr int kFrom = decltype(from)::value, kLast = decltype(last)::value;
    if constexpr (kLast == 3) column(kFrom + 2);
    float32x4_t sum = start;
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
      for (int j = 0; j < kLast; ++j) sum = vaddq_f32(sum, vmulq_f32(x[i][(kFrom + j) % 4], w[i][j]));
    }
    finish(sum);
  };
  const auto last_ones = [&](auto from, size_t left) __attribute__((always_inline)) {
    if (left == 2) return two(from, Fixed<0>(), Fixed<2>());
    if (left == 0) return;
    if (behind == 0) return one(from, Fixed<3>());
    one(from, Fixed<2>());
  };
  for (size_t line = 0; line < a.lines; ++line) {
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) src[i] = a.src + c + static_cast<ptrdiff_t>(line) * a.src_line + i * a.src_row;
    if (!slides) {
      for (size_t p = 0; p < before; ++p) alone(Fixed<1>(), Fixed<3>());
      for (size_t p = before; p + behind < outputs; ++p) alone(Fixed<0>(), Fixed<3>());
      for (size_t p = 0; p < behind; ++p) alone(Fixed<0>(), Fixed<2>());
      continue;
    }
    if (before != 0) {
      column(1);
      two(Fixed<0>(), Fixed<1>(), Fixed<3>());
    } else {
#pragma GCC unroll 3
      for (int i = 0; i < kRows; ++i) src[i] -= tap;
      column(0);
      column(1);
      two(Fixed<0>(), Fixed<0>(), Fixed<3>());
    }
    size_t pairs = (outputs - 2 - behind) / 2;
    const size_t left = outputs - 2 - 2 * pairs;
    for (; pairs >= 2; pairs -= 2) {
      two(Fixed<2>(), Fixed<0>(), Fixed<3>());
      two(Fixed<0>(), Fixed<0>(), Fixed<3>());
    }
    if (pairs == 0) {
      last_ones(Fixed<2>(), left);
    } else {
      two(Fixed<2>(), Fixed<0>(), Fixed<3>());
      last_ones(Fixed<0>(), left);
    }
  }
}

template <int kRows>
__attribute__((noinline)) void depthwise3_fours(const Depthwise3Args& a) {
  size_t c = 0;
  for (; c + 4 <= a.channels; c += 4) depthwise3_four<kRows, false>(a, c, 4);
  if (c < a.channels) depthwise3_four<kRows, true>(a, c, a.channels - c);
}

void depthwise3_part(const Depthwise3Args& a) {
  if (a.rows == 3) return depthwise3_fours<3>(a);
  if (a.rows == 2) return depthwise3_fours<2>(a);
  depthwise3_fours<1>(a);
}

}  // namespace

void depthwise3_f32_f32_f32_2x4_neon(const Depthwise3Args& a) {
  // Lines that share inputs, or a part of one.
  const size_t near = kNearPixels / (a.outputs == 0 ? 1 : a.outputs), most_lines = near > 3 ? near - 2 : 1;
  for (size_t line = 0; line < a.lines; line += most_lines) {
    Depthwise3Args part = a;
    part.lines = a.lines - line < most_lines ? a.lines - line : most_lines;
    part.src += static_cast<ptrdiff_t>(line) * a.src_line;
    part.dst += line * a.outputs * a.channels;
    if (a.outputs <= kNearOutputs || a.before > 1 || a.behind > 1) {
      depthwise3_part(part);
      continue;
    }
    const float* const src = part.src;
    float* const dst = part.dst;
    for_even_blocks(a.outputs, kNearOutputs, [&](size_t first, size_t outputs) {
      part.outputs = outputs;
      part.before = first == 0 ? a.before : 0;
      part.behind = first + outputs == a.outputs ? a.behind : 0;
      part.src = src + static_cast<ptrdiff_t>(first) * a.src_step;
      part.dst = dst + first * a.channels;
      depthwise3_part(part);
    });
  }
}

}  // namespace ert::kernels
