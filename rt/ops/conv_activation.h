// The activation of a convolution: a kernel of Unary, or LeakyRelu, the only one with a parameter.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"

namespace ert::ops {

// One of these, and the floats that go with it? LeakyRelu has its alpha, and `more` floats at most behind it.
inline bool activation_and_floats_ok(const OpContext& c, int32_t activation, uint32_t more) {
  if (activation == params::unary::kLeakyRelu) return c.n_floats >= 1 && c.n_floats <= 1 + more;
  return c.n_floats == 0 && activation >= params::linear::kNoActivation &&
         activation < static_cast<int32_t>(kernels::Unary::kCount);
}

// What the kernels do themselves: the results are then in memory once. kNone for the other activations.
inline kernels::Clamp clamp_of(int32_t activation) {
  if (activation == static_cast<int32_t>(kernels::Unary::kRelu)) return kernels::Clamp::kRelu;
  return activation == static_cast<int32_t>(kernels::Unary::kRelu6) ? kernels::Clamp::kRelu6 : kernels::Clamp::kNone;
}

constexpr float kNoLeast = -__builtin_inff();

// Then what is less than `least` becomes it; NaN stays.
void activate_in_place(const OpContext& c, int32_t activation, int64_t n, float* y, float least = kNoLeast);

}  // namespace ert::ops
