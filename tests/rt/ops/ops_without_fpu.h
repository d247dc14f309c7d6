// The fp32 ops as a target without an FPU has them.
#pragma once

#include <stdint.h>

#include "rt/include/ert.h"

bool is_op_without_fpu(const char* name);

// Runs op `code` on an OpContext, with the reference kernels of such a target. False: an op that does not compute in fp32.
bool run_op_without_fpu(const char* name, const void* context, ert_status* status);
