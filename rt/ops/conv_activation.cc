// The loops of activations in place.
#include "rt/ops/conv_activation.h"

#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {
namespace {

void leaky_relu(const kernels::KernelTable& kernels, float alpha, float least, int64_t n, float* y) {
  if (kFastForms && kernels.leaky_relu != nullptr) return kernels.leaky_relu(static_cast<size_t>(n), alpha, least, y, y);
  if (alpha != 1.0f)
    for (int64_t i = 0; i < n; ++i) y[i] = leaky(y[i], alpha);
  if (least == kNoLeast) return;
  for (int64_t i = 0; i < n; ++i) y[i] = max_of(least, y[i]);
}

}  // namespace

void activate_in_place(const OpContext& c, int32_t activation, int64_t n, float* y, float least) {
  const bool leaks = activation == params::unary::kLeakyRelu;
  if (!leaks && activation != params::linear::kNoActivation) c.kernels->unary[activation](static_cast<size_t>(n), y, y);
  if (leaks || least != kNoLeast) leaky_relu(*c.kernels, leaks ? c.floats[params::conv::kAlpha] : 1.0f, least, n, y);
}

}  // namespace ert::ops
