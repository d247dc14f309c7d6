// Where a weight sits in the packed layout N16K4 (drawn in README.md).
#pragma once

#include <stddef.h>

#include "kernels_int8/kernel_table.h"

namespace ert::kernels {

// Byte offset of the weight of `column` and `k_index` in a matrix of k rows.
constexpr size_t offset_n16k4(size_t column, size_t k_index, size_t k) {
  return column / 16 * panel_bytes_n16k4(k) + k_index / 4 * 64 + 4 * (column % 16) + k_index % 4;
}

}  // namespace ert::kernels
