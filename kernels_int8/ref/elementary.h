// The canonical scalar exp, erf, tanh and what is made of them: the definition of every activation. NUMERICS.md 4 and 5.
#pragma once

#include "kernels_int8/ref/float32.h"

namespace ert::kernels {
namespace {

// y * 2^n by adding n to the exponent field; z = n + kRoundMagic as the rounding left it.
inline F32 times_power_of_two(F32 y, F32 z) { return float_of(bits_of(to_float(y)) + (bits_of(to_float(z)) << 23)); }

// exp for kExpLow <= x <= kExpHigh.
inline F32 exp_in_range(F32 x) {
  const F32 z = x * F32(kLog2E) + F32(kRoundMagic);
  const F32 n = z - F32(kRoundMagic);
  const F32 r = (x - n * F32(kLn2Hi)) - n * F32(kLn2Lo);
  const F32 p = horner(kExp, r);
  return times_power_of_two(F32(1.0f) + (r + (r * r) * p), z);
}

// For x <= kExpHigh: exactly 0 below kExpLow; NaN stays NaN.
inline F32 exp_or_zero(F32 x) { return x < F32(kExpLow) ? F32(0.0f) : exp_in_range(x); }

inline F32 exp_any(F32 x) { return x > F32(kExpHigh) ? F32(float_of(0x7f800000u)) : exp_or_zero(x); }

// exp for the weights of int8 attention, kExpLow <= x <= 0.
inline F32 exp_of_weight(F32 x) {
  const F32 t = x * F32(kLog2E);
  const F32 z = t + F32(kRoundMagic);
  const F32 f = t - (z - F32(kRoundMagic));
  return times_power_of_two(horner(kExp2OfWeights, f), z);
}

// 2^-q for 0 <= q < 127.5; a result below the least normal number counts as zero.
inline F32 exp2_minus(F32 q) {
  const F32 t = F32(0.0f) - q;
  const F32 z = t + F32(kRoundMagic);
  const F32 f = t - (z - F32(kRoundMagic));
  return times_power_of_two(horner(kExp2, f), z);
}

// x*Phi(x) = max(x, 0) - |x|*Phi(-|x|)
inline F32 gelu_erf(F32 x) {
  const F32 a = absolute(x);
  const F32 h = exp2_minus(horner(kGeluQ, smaller(F32(kGeluCap), a)));
  return larger(x, F32(0.0f)) - a * h;
}

// x*Phi(x) for readers that round it to 8 bits: x*(1/2 + c*P(c*c)), c = x within the cap. Exact beyond it.
inline F32 gelu_coarse(F32 x) {
  const F32 c = larger(F32(-kGeluCoarseCap), smaller(F32(kGeluCoarseCap), x));
  return x * (c * horner(kGeluCoarseP, c * c) + F32(0.5f));
}

inline F32 with_sign(F32 magnitude, F32 sign) {
  return float_of((bits_of(to_float(magnitude)) & 0x7fffffffu) | (bits_of(to_float(sign)) & 0x80000000u));
}

inline F32 erf(F32 x) {
  const F32 a = absolute(x);
  if (!(a >= F32(kErfSmall))) return x * horner(kErfP, x * x);  // NaN too
  const F32 h = exp2_minus(horner(kErfcQ, smaller(F32(kErfCap), a)));
  return with_sign(F32(1.0f) - h, x);
}

inline F32 tanh(F32 x) {
  const F32 a = absolute(x);
  if (!(a >= F32(kTanhSmall))) {  // NaN too
    const F32 s = x * x;
    return x + x * (s * horner(kTanhP, s));
  }
  const F32 c = smaller(F32(kTanhCap), a);
  const F32 e = exp_in_range(c + c);
  return with_sign(F32(1.0f) - F32(2.0f) / (e + F32(1.0f)), x);
}

// With e = exp(-|x|): 1/(1+e) for x >= 0, e/(1+e) for x < 0.
inline F32 sigmoid(F32 x) {
  const F32 e = exp_or_zero(F32(0.0f) - absolute(x));
  return (x < F32(0.0f) ? e : F32(1.0f)) / (F32(1.0f) + e);
}

// 2^(x*factor), the exponent within +-kExp2OfGatesCap, for what readers round to 8 bits.
inline F32 exp2_of_gate(F32 x, float factor) {
  const F32 t = larger(F32(-kExp2OfGatesCap), smaller(F32(kExp2OfGatesCap), x * F32(factor)));
  const F32 z = t + F32(kRoundMagic);
  const F32 f = t - (z - F32(kRoundMagic));
  return times_power_of_two(horner(kExp2OfGates, f), z);
}
inline F32 sigmoid_coarse(F32 x) { return F32(1.0f) / (exp2_of_gate(x, -kLog2E) + F32(1.0f)); }
inline F32 tanh_coarse(F32 x) {
  const F32 e = exp2_of_gate(x, 2.0f * kLog2E);
  return (e - F32(1.0f)) / (e + F32(1.0f));
}

inline F32 silu(F32 x) { return x * sigmoid(x); }
inline F32 quick_gelu(F32 x) { return x * sigmoid(x * F32(kQuickGelu)); }

// 0.5*x*(1 + tanh(u)) = x*sigmoid(2u), 2u = 2*sqrt(2/pi) * (x + 0.044715 x^3)
inline F32 gelu_tanh(F32 x) {
  const F32 cubic = F32(kGeluTanhCubic) * (x * x);
  return x * sigmoid(F32(kGeluTanhLinear) * (x + cubic * x));
}

// x*tanh(log(1 + e^x)) = x * w/(w + 2), w = e*(e + 2), e = exp(x)
inline F32 mish(F32 x) {
  const F32 e = exp_or_zero(smaller(F32(kMishCap), x));
  const F32 w = e * (e + F32(2.0f));
  return x > F32(kMishCap) ? x : x * (w / (w + F32(2.0f)));
}

// The addition makes -0 and subnormals +0.
inline F32 relu(F32 x) { return larger(F32(0.0f), x) + F32(0.0f); }
inline F32 relu6(F32 x) { return smaller(F32(6.0f), relu(x)); }
// clamp(slope*x + 1/2, 0, 1)
inline F32 hard_gate(F32 x, float slope) { return smaller(F32(1.0f), larger(F32(0.0f), x * F32(slope) + F32(0.5f))); }
inline F32 hard_sigmoid(F32 x) { return hard_gate(x, 0.2f); }              // the ONNX default slope
inline F32 hard_swish(F32 x) { return x * hard_gate(x, 0x1.555556p-3f); }  // slope 1/6
inline F32 elu(F32 x) { return x > F32(0.0f) ? x : exp_or_zero(x) - F32(1.0f); }
inline F32 selu(F32 x) {
  const F32 negative = F32(kSeluAlpha) * (exp_or_zero(x) - F32(1.0f));
  return F32(kSeluGamma) * (x > F32(0.0f) ? x : negative);
}

}  // namespace
}  // namespace ert::kernels
