// The canonical activations in 16 lanes: ref/elementary.h operation by operation. Include a lanes16_<isa>.h first. The
// templates take Lanes or Lanes4.
#pragma once

#include "kernels_int8/simd/clamp.h"
#include "kernels_int8/simd/lanes16_by4.h"

// A lanes16_<isa>.h may say that what several kernels are made of is a function, one copy of each, where code is scarce.
#ifndef ERT_LANES_FUNCTION
#define ERT_LANES_FUNCTION ERT_LANES
#endif

namespace ert::kernels {
namespace {

constexpr size_t kWidth = sizeof(Lanes) / sizeof(float);  // 16, but fewer in mve/lanes4_mve.h

template <int n, class V>
ERT_LANES V horner(const float (&c)[n], V x) {
  V y = x * broadcast(c[n - 1]) + broadcast(c[n - 2]);
#pragma GCC unroll 8
  for (int i = n - 3; i >= 0; --i) y = y * x + broadcast(c[i]);
  return y;
}

template <class V>
ERT_LANES V exp_in_range(V x) {
  const Lanes magic = broadcast(kRoundMagic);
  const V z = x * broadcast(kLog2E) + magic;
  const V n = z - magic;
  const V r = (x - n * broadcast(kLn2Hi)) - n * broadcast(kLn2Lo);
  const V p = horner(kExp, r);
  return times_power_of_two(broadcast(1.0f) + (r + (r * r) * p), z);
}

// Exactly 0 below kExpLow; NaN stays NaN.
template <class V>
ERT_LANES_FUNCTION V exp_or_zero(V x) {
  return zero_if(x < broadcast(kExpLow), exp_in_range(x));
}
ERT_LANES Lanes exp_any(Lanes x) { return select(x > broadcast(kExpHigh), broadcast(__builtin_inff()), exp_or_zero(x)); }
// exp for the weights of int8 attention: exactly 0 below kExpLow; NaN stays NaN.
template <class V>
ERT_LANES V exp_of_weight(V x) {
  const Lanes magic = broadcast(kRoundMagic);
  const V t = x * broadcast(kLog2E);
  const V z = t + magic;
  const V f = t - (z - magic);
  return zero_if(x < broadcast(kExpLow), times_power_of_two(horner(kExp2OfWeights, f), z));
}

template <class V>
ERT_LANES V exp2_minus(V q) {
  const Lanes magic = broadcast(kRoundMagic);
  const V t = broadcast(0.0f) - q;
  const V z = t + magic;
  const V f = t - (z - magic);
  return times_power_of_two(horner(kExp2, f), z);
}

template <class V>
ERT_LANES V gelu_erf(V x) {
  const V a = absolute(x);
  const V h = exp2_minus(horner(kGeluQ, smaller(broadcast(kGeluCap), a)));
  return larger(x, broadcast(0.0f)) - a * h;
}

template <class V>
ERT_LANES V gelu_coarse(V x) {
  const V c = larger(broadcast(-kGeluCoarseCap), smaller(broadcast(kGeluCoarseCap), x));
  return x * (c * horner(kGeluCoarseP, c * c) + broadcast(0.5f));
}

ERT_LANES Lanes erf(Lanes x) {
  const Lanes a = absolute(x);
  const Lanes near_zero = x * horner(kErfP, x * x);
  const Lanes h = exp2_minus(horner(kErfcQ, smaller(broadcast(kErfCap), a)));
  return select(a >= broadcast(kErfSmall), with_sign(broadcast(1.0f) - h, x), near_zero);
}

template <class V>
ERT_LANES_FUNCTION V tanh(V x) {
  const V a = absolute(x);
  const V s = x * x;
  const V near_zero = x + x * (s * horner(kTanhP, s));
  const V c = smaller(broadcast(kTanhCap), a);
  const V e = exp_in_range(c + c);
  const V far = broadcast(1.0f) - broadcast(2.0f) / (e + broadcast(1.0f));
  return select(a >= broadcast(kTanhSmall), with_sign(far, x), near_zero);
}

template <class V>
ERT_LANES_FUNCTION V sigmoid(V x) {
  const V e = exp_or_zero(broadcast(0.0f) - absolute(x));
  return select(x < broadcast(0.0f), e, broadcast(1.0f)) / (broadcast(1.0f) + e);
}

template <class V>
ERT_LANES V exp2_of_gate(V x, float factor) {
  const Lanes magic = broadcast(kRoundMagic);
  const V t = larger(broadcast(-kExp2OfGatesCap), smaller(broadcast(kExp2OfGatesCap), x * broadcast(factor)));
  const V z = t + magic;
  const V f = t - (z - magic);
  return times_power_of_two(horner(kExp2OfGates, f), z);
}
template <class V>
ERT_LANES_FUNCTION V sigmoid_coarse(V x) {
  return broadcast(1.0f) / (exp2_of_gate(x, -kLog2E) + broadcast(1.0f));
}
template <class V>
ERT_LANES_FUNCTION V tanh_coarse(V x) {
  const V e = exp2_of_gate(x, 2.0f * kLog2E);
  return (e - broadcast(1.0f)) / (e + broadcast(1.0f));
}

template <class V>
ERT_LANES V silu(V x) {
  return x * sigmoid(x);
}
template <class V>
ERT_LANES V quick_gelu(V x) {
  return x * sigmoid(x * broadcast(kQuickGelu));
}

template <class V>
ERT_LANES V gelu_tanh(V x) {
  const V cubic = (x * x) * broadcast(kGeluTanhCubic);
  return x * sigmoid((x + cubic * x) * broadcast(kGeluTanhLinear));
}

ERT_LANES Lanes mish(Lanes x) {
  const Lanes cap = broadcast(kMishCap);
  const Lanes e = exp_or_zero(smaller(cap, x));
  const Lanes w = e * (e + broadcast(2.0f));
  return select(x > cap, x, x * (w / (w + broadcast(2.0f))));
}

ERT_LANES Lanes hard_gate(Lanes x, float slope) {
  return smaller(broadcast(1.0f), larger(broadcast(0.0f), x * broadcast(slope) + broadcast(0.5f)));
}
ERT_LANES Lanes hard_sigmoid(Lanes x) { return hard_gate(x, 0.2f); }
ERT_LANES Lanes hard_swish(Lanes x) { return x * hard_gate(x, 0x1.555556p-3f); }
ERT_LANES Lanes elu(Lanes x) { return select(x > broadcast(0.0f), x, exp_or_zero(x) - broadcast(1.0f)); }
ERT_LANES Lanes selu(Lanes x) {
  const Lanes negative = broadcast(kSeluAlpha) * (exp_or_zero(x) - broadcast(1.0f));
  return broadcast(kSeluGamma) * select(x > broadcast(0.0f), x, negative);
}

}  // namespace
}  // namespace ert::kernels
