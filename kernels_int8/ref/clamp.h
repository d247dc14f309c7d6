// The last step of a convolution, as the Unary of its name.
#pragma once

#include "kernels_int8/contract/clamp.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {
namespace {

inline F32 clamped(Clamp clamp, F32 x) { return clamp == Clamp::kNone ? x : clamp == Clamp::kRelu6 ? relu6(x) : relu(x); }

}  // namespace
}  // namespace ert::kernels
