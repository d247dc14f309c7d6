// The order in which ArgMinMax and TopK rank values: NaN above everything, +0 equal to -0.
#pragma once

#include <stdint.h>

#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {

inline bool greater_value(float a, float b) { return less(b, a) || (is_nan(a) && !is_nan(b)); }
inline bool greater_value(int32_t a, int32_t b) { return a > b; }

}  // namespace ert::ops
