// The order in which ArgMinMax and TopK rank values: NaN above everything, +0 equal to -0.
#pragma once

#include <stdint.h>

namespace ert::ops {

inline bool greater_value(float a, float b) { return a > b || (a != a && b == b); }
inline bool greater_value(int32_t a, int32_t b) { return a > b; }

}  // namespace ert::ops
