// What int8 attention in 16 lanes shares beside the two products: scales of rows, masks, scores to P. Include a lanes16_<isa>.h, simd/elementary16.h
// and what declares maximum(Lanes, Lanes) and greatest(Lanes) first, as simd/quantize16.h wants them.
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/overflowed_values.h"

namespace ert::kernels {
namespace {

// Elements [i, i + 16) of n, zeros beyond.
ERT_LANES Lanes load_part(size_t n, const float* src, size_t i) {
  return i + 16 <= n ? load(src + i) : load_first(src + i, n - i);
}

// Symmetric int8 scale of n values and the factor that quantizes them. NaN of infinities and NaN.
inline float scale_of(size_t n, const float* src, float* inv) {
  Lanes max = broadcast(0.0f);
  for (size_t i = 0; i < n; i += 16) max = maximum(absolute(load_part(n, src, i)), max);
  const float absmax = greatest(max);
  *inv = 0.0f;
  if (absmax < kZeroRange) return 0.0f;
  if (!(absmax <= kLargestFloat)) return __builtin_nanf("");
  *inv = kMaxQ8 / absmax;
  return absmax / kMaxQ8;
}

// Adds the bias, takes out the keys that query i does not see; returns the maximum.
inline float mask_row(const AttentionArgs& a, size_t i, size_t keys16, float* scores) {
  const int64_t limit = static_cast<int64_t>(i) + a.causal_offset + 1;
  const size_t seen = limit < 0 ? 0 : limit < a.seq_k ? static_cast<size_t>(limit) : static_cast<size_t>(a.seq_k);
  const float* bias = a.bias == nullptr ? nullptr : a.bias + static_cast<ptrdiff_t>(i) * a.bias_stride;
  const uint8_t* mask = a.mask == nullptr ? nullptr : a.mask + static_cast<ptrdiff_t>(i) * a.mask_stride;
  const Lanes hidden = broadcast(-__builtin_inff());
  Lanes max = hidden;
  for (size_t j = 0; j < keys16; j += 16) {
    const size_t count = j >= seen ? 0 : seen - j < 16 ? seen - j : 16;
    Lanes s = load(scores + j);
    if (bias != nullptr && count > 0) s = s + (count == 16 ? load(bias + j) : load_first(bias + j, count));
    if (mask != nullptr && count > 0) s = select(nonzero_bytes(mask + j, count), s, hidden);
    if (count < 16) s = select(first_lanes(count), s, hidden);
    store(scores + j, s);
    max = larger_number(s, max);
  }
  return largest(max);
}

// Scores to P: p = exp(score - maximum) * value scale; store(j, y) gets p / pmax in 14 bits, not yet rounded, of keys j to j + 15. Returns the
// factor of the sums of P * v, or 0 where the query sees nothing: then nothing is stored. NaN where it sees a NaN.
template <class Store>
ERT_LANES float weights_of_keys(size_t keys16, const float* value_scale, float max, float* scores, const Store& store_p) {
  const Lanes row_max = broadcast(max == -__builtin_inff() ? 0.0f : max);
  Lanes sum = broadcast(0.0f), most = sum;
  for (size_t j = 0; j < keys16; j += 16) {
    const Lanes e = exp_of_weight(load(scores + j) - row_max);
    sum = sum + e;
    const Lanes p = e * load(value_scale + j);
    most = larger_number(p, most);
    store(scores + j, p);
  }
  const float pmax = largest(most);
  const float all = total(sum);
  if (!(pmax >= kZeroRange)) return all - all;
  const Lanes inv = broadcast(kMaxQ16 / pmax);
  for (size_t j = 0; j < keys16; j += 16) store_p(j, load(scores + j) * inv);
  return (pmax / kMaxQ16) / all;
}

}  // namespace
}  // namespace ert::kernels
