// Benchmarks of attention, row passes and elementwise kernels.
#pragma once

#include <string>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::bench {

// Registers PREFIX/SIZES. peak: MAC per cycle of the level, 0 if unknown. False for a slot that is not known here.
bool add_row_kernel(const std::string& prefix, const kernels::KernelTable* table, double peak, const std::string& slot);

}  // namespace ert::bench
