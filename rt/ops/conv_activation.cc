// The loops of activations in place.
#include "rt/ops/conv_activation.h"

#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {

void activate_in_place(const OpContext& c, int32_t activation, int64_t n, float* y) {
  if (activation == params::linear::kNoActivation) return;
  if (activation != params::unary::kLeakyRelu) return c.kernels->unary[activation](static_cast<size_t>(n), y, y);
  const float alpha = c.floats[params::conv::kAlpha];
  for (int64_t i = 0; i < n; ++i) {
    const float v = y[i];
    const uint32_t below = 0u - static_cast<uint32_t>(less(v, 0.0f));  // no branch: signs are hard to foresee
    y[i] = float_of((bits_of(times(alpha, v)) & below) | (bits_of(v) & ~below));
  }
}

void raise_in_place(float least, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t below = 0u - static_cast<uint32_t>(less(y[i], least));
    y[i] = float_of((bits_of(least) & below) | (bits_of(y[i]) & ~below));
  }
}

}  // namespace ert::ops
