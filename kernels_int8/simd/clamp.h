// Relu and Relu6 of Lanes, and as the last step of a convolution. Include a lanes file first.
#pragma once

#include "kernels_int8/contract/clamp.h"

namespace ert::kernels {
namespace {

ERT_LANES Lanes relu(Lanes x) { return larger(broadcast(0.0f), x) + broadcast(0.0f); }
ERT_LANES Lanes relu6(Lanes x) { return smaller(broadcast(6.0f), relu(x)); }

// The branches are those of a whole run of outputs.
ERT_LANES Lanes clamped(Clamp clamp, Lanes x) {
  if (clamp == Clamp::kNone) return x;
  const Lanes y = relu(x);
  return clamp == Clamp::kRelu6 ? smaller(broadcast(6.0f), y) : y;
}

}  // namespace
}  // namespace ert::kernels
