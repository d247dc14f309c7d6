// An activation that only 8-bit Linears read need not be exact to the last bit of fp32: its readers round it to 255 steps.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// GELU of a Linear or Unary whose result nobody reads but W8A8 Linears becomes Unary::kGeluCoarse (kernels_int8/NUMERICS.md 4).
// Sigmoid and tanh of a recurrence in W8A8, which rounds its state at every step, become kSigmoidCoarse and kTanhCoarse.
void take_coarse_activations(TargetProgram& p);

}  // namespace edgeconv
