// What softmax and attention do with a row, in 16 lanes: canonical sums, the largest value, exponentials. Include a lanes16_<isa>.h first.
#pragma once

#include "kernels_int8/simd/elementary16.h"

#ifndef ERT_ROW_PARTS  // a level may have written its own: mve/row_parts_mve.h
namespace ert::kernels {
namespace {

// Absent lanes add +0, which changes no lane: a lane starts at +0 and so is never -0.
template <bool squares>
ERT_LANES float sum16(size_t n, const float* src) {
  Lanes sum = broadcast(0.0f);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Lanes x = load(src + i);
    sum = sum + (squares ? x * x : x);
  }
  if (i < n) {
    const Lanes x = load_first(src + i, n - i);
    sum = sum + (squares ? x * x : x);
  }
  return total(sum);
}

ERT_LANES float largest_of_row(size_t n, const float* src) {
  const Lanes lowest = broadcast(-__builtin_inff());
  Lanes max0 = lowest, max1 = lowest;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    max0 = larger_number(load(src + i), max0);
    max1 = larger_number(load(src + i + 16), max1);
  }
  for (; i + 16 <= n; i += 16) max0 = larger_number(load(src + i), max0);
  if (i < n) max1 = larger_number(select(first_lanes(n - i), load_first(src + i, n - i), lowest), max1);
  return largest(larger_number(max0, max1));
}

// What exponentials of a row are shifted by: 0 where nothing is above -inf, so that NaN alone stays NaN.
ERT_LANES float shift_of_row(size_t n, const float* src) {
  const float max = largest_of_row(n, src);
  return max == -__builtin_inff() ? 0.0f : max;
}

ERT_LANES void scale_row(size_t n, float factor, float* dst) {
  const Lanes f = broadcast(factor);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) store(dst + i, load(dst + i) * f);
  if (i < n) store_first(dst + i, load_first(dst + i, n - i) * f, n - i);
}

// dst = exp(src - max), returns the canonical sum.
template <Lanes (*exponential)(Lanes)>
ERT_LANES float exp_row(size_t n, const float* src, float max, float* dst) {
  const Lanes shift = broadcast(max);
  Lanes sum = broadcast(0.0f);
  size_t i = 0;
  if (kPredicatedAccess) {  // as in map16.h: one copy of the exponential
    for (; i < n; i += 16) {
      const Lanes e = zero_unless(first_lanes(n - i), exponential(load_first(src + i, n - i) - shift));
      store_first(dst + i, e, n - i);
      sum = sum + e;
    }
    return total(sum);
  }
  for (; i + 32 <= n; i += 32) {
    const Lanes a = exponential(load(src + i) - shift);
    const Lanes b = exponential(load(src + i + 16) - shift);
    store(dst + i, a);
    store(dst + i + 16, b);
    sum = (sum + a) + b;
  }
  for (; i + 16 <= n; i += 16) {
    const Lanes e = exponential(load(src + i) - shift);
    store(dst + i, e);
    sum = sum + e;
  }
  if (i < n) {
    const Lanes e = zero_unless(first_lanes(n - i), exponential(load_first(src + i, n - i) - shift));
    store_first(dst + i, e, n - i);
    sum = sum + e;
  }
  return total(sum);
}

// A row becomes its exponentials, shifted; returns their sum.
inline float exp_in_place(size_t n, float* row) { return exp_row<exp_or_zero<Lanes>>(n, row, shift_of_row(n, row), row); }

}  // namespace
}  // namespace ert::kernels
#endif
