// An object of its own: programs with an op table of their own define the function themselves (rt/ops/op_table.cc), and link the kernels if an op needs them.
#include "kernels_int8/dispatch/dispatch.h"

#if ERT_WIDE_APART

namespace ert::kernels {

extern const LinearKernels kWideLinear;
const LinearKernels* linked_wide() { return &kWideLinear; }

}  // namespace ert::kernels

#endif
