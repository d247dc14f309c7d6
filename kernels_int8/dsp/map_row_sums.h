// The integer inner loop of convolutions over 8-bit maps on M4, M7 and M33. Patches of one or two outputs become int16 pairs once for all filters, in the order in
// which sxtb16 splits the bytes of a weight word: of every four values the first and third, then the second and fourth, of one output behind the other. smlad multiplies two
// pairs and adds. Two outputs x two filters, or one x four: what the core registers hold. Internal linkage.
#pragma once

#ifndef __ARM_FEATURE_SIMD32
#error "build for a core with the DSP extension"
#endif

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/packed_layout.h"

namespace ert::kernels {
namespace {

// Writes `depth` values, up to a multiple of four, of one output; the bytes behind a patch meet weights that are zero. Where they lie at words, others trap.
template <int kOutputs>
inline uint32_t* write_pairs(uint32_t* to, const uint8_t* patch, size_t depth) {
  if (reinterpret_cast<uintptr_t>(patch) % 4 == 0) {
    for (size_t k = 0; k < depth; k += 4, to += 2 * kOutputs) {
      uint32_t even, odd;
      __asm__("ldr %[odd], [%[at]], #4\n\tuxtb16 %[even], %[odd]\n\tuxtb16 %[odd], %[odd], ror #8"
              : [even] "=r"(even), [odd] "=&r"(odd), [at] "+r"(patch)
              :
              : "memory");
      to[0] = even;
      to[1] = odd;
    }
    return to;
  }
  for (size_t k = 0; k < depth; k += 4, to += 2 * kOutputs, patch += 4) {
    to[0] = patch[0] | static_cast<uint32_t>(patch[2]) << 16;
    to[1] = patch[1] | static_cast<uint32_t>(patch[3]) << 16;
  }
  return to;
}

// Bytes of weights to the next filter and to the next four k.
template <Layout layout>
struct WeightSteps {
  static constexpr bool kLong = line_depth(layout) == 16;
  static constexpr int kFilter = kLong ? 16 : 4, kFour = kLong ? 4 : 64, kSixteen = kLong ? 32 : 256;
};

// sums[output][filter] += four k. As asm because GCC 12 spills the sums.
template <int kRhs, int kFilter>
inline __attribute__((always_inline)) void add_four(int32_t (&sums)[2][2], const uint32_t*& x, const int8_t* const (&rhs)[1]) {
  int32_t word, pair;
  __asm__(
      "ldmia %[x]!, {r4, r5, r6, r8}\n\t"
      "ldr %[word], [%[rhs], %[at]]\n\tsxtb16 %[pair], %[word]\n\tsxtb16 %[word], %[word], ror #8\n\t"
      "smlad %[a], r4, %[pair], %[a]\n\tsmlad %[c], r6, %[pair], %[c]\n\tsmlad %[a], r5, %[word], %[a]\n\tsmlad %[c], r8, "
      "%[word], %[c]\n\t"
      "ldr %[word], [%[rhs], %[next]]\n\tsxtb16 %[pair], %[word]\n\tsxtb16 %[word], %[word], ror #8\n\t"
      "smlad %[b], r4, %[pair], %[b]\n\tsmlad %[d], r6, %[pair], %[d]\n\tsmlad %[b], r5, %[word], %[b]\n\tsmlad %[d], r8, "
      "%[word], %[d]"
      : [a] "+r"(sums[0][0]), [b] "+r"(sums[0][1]), [c] "+r"(sums[1][0]), [d] "+r"(sums[1][1]), [x] "+r"(x), [word] "=&r"(word),
        [pair] "=&r"(pair)
      : [rhs] "r"(rhs[0]), [at] "i"(kRhs), [next] "i"(kRhs + kFilter)
      : "r4", "r5", "r6", "r8", "memory");
}

template <int kRhs, int kFilter>
inline __attribute__((always_inline)) void add_four(int32_t (&sums)[1][4], const uint32_t*& x, const int8_t* const (&rhs)[2]) {
  int32_t even, odd;
  __asm__("ldrd %[even], %[odd], [%[x]], #8" : [even] "=&r"(even), [odd] "=&r"(odd), [x] "+r"(x) : : "memory");
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    int32_t word, pair;
    __asm__(
        "ldr %[word], [%[rhs], %[at]]\n\tsxtb16 %[pair], %[word]\n\tsxtb16 %[word], %[word], ror #8\n\t"
        "smlad %[sum], %[even], %[pair], %[sum]\n\tsmlad %[sum], %[odd], %[word], %[sum]"
        : [sum] "+r"(sums[0][c]), [word] "=&r"(word), [pair] "=&r"(pair)
        : [rhs] "r"(rhs[c / 2]), [at] "i"(kRhs + c % 2 * kFilter), [even] "r"(even), [odd] "r"(odd)
        : "memory");
  }
}

// kFours times four k, without a loop.
template <Layout layout, int kFours, int kOutputs, int kFilters, int kAt = 0>
inline __attribute__((always_inline)) void add_fours(int32_t (&sums)[kOutputs][kFilters], const uint32_t*& x,
                                                     const int8_t* const (&rhs)[kFilters / 2]) {
  using W = WeightSteps<layout>;
  add_four<kAt * W::kFour, W::kFilter>(sums, x, rhs);
  if constexpr (kAt + 1 < kFours) add_fours<layout, kFours, kOutputs, kFilters, kAt + 1>(sums, x, rhs);
}

// All of x up to `end`, which moves on to it. whole: the part of x in lines of 16 k. rhs: weights of two filters, of the next two `pair` bytes behind.
template <Layout layout, int kOutputs, int kFilters>
inline __attribute__((always_inline)) void add_patches(int32_t (&sums)[kOutputs][kFilters], const uint32_t*& x,
                                                       const uint32_t* whole, const uint32_t* end, const int8_t* weights,
                                                       size_t pair) {
  using W = WeightSteps<layout>;
  const int8_t* rhs[kFilters / 2];
  rhs[0] = weights;
  if constexpr (kFilters == 4) rhs[1] = weights + pair;
#pragma GCC unroll 1
  while (x != whole) {
    add_four<0, W::kFilter>(sums, x, rhs);
    add_four<W::kFour, W::kFilter>(sums, x, rhs);
    add_four<2 * W::kFour, W::kFilter>(sums, x, rhs);
    add_four<3 * W::kFour, W::kFilter>(sums, x, rhs);
    rhs[0] += W::kSixteen;
    if constexpr (kFilters == 4) rhs[1] += W::kSixteen;
  }
#pragma GCC unroll 1
  while (x != end) {
    add_four<0, W::kFilter>(sums, x, rhs);
    rhs[0] += W::kFour;
    if constexpr (kFilters == 4) rhs[1] += W::kFour;
  }
}

}  // namespace
}  // namespace ert::kernels
