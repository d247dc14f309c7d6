// Benchmarks of the matrix products.
#pragma once

#include <string>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::bench {

// Registers PREFIX/NxK/m:M for the layers of MiniLM and BERT-base, and PREFIX/NxK/stream: one row over weights that come from
// memory. peak: MAC per cycle of the level, 0 if unknown. False if the slot is no product.
bool add_gemm(const std::string& prefix, const kernels::KernelTable* table, double peak, const std::string& slot);

}  // namespace ert::bench
