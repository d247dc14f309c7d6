// The choice of an ISA level.
#pragma once

#include "kernels_int8/contract/kernel_table.h"
#include "rt/include/ert.h"

namespace ert {

// The best level that is allowed, built in and on this CPU; null if there is none. 0 allows all.
const kernels::KernelTable* choose_kernels(uint32_t isa_mask);

}  // namespace ert
