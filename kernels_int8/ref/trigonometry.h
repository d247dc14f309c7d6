// sin and cos, within 0.51 ulp for every float: the argument is reduced and the polynomial evaluated in double.
#pragma once

namespace ert::kernels {

float canonical_sin(float x);
float canonical_cos(float x);

}  // namespace ert::kernels
