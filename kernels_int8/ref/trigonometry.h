// sin and cos, within 0.51 ulp for every float: the argument is reduced and the polynomial evaluated in double.
#pragma once

#include "kernels_int8/ref/float32.h"

namespace ert::kernels {

F32 sin(F32 x);
F32 cos(F32 x);

}  // namespace ert::kernels
