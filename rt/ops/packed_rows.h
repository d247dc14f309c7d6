// What PackRows and UnpackRows share: the shapes of packed rows, and walking over the sequences that a block of rows touches.
#pragma once

#include <stdint.h>

#include "rt/ops/operand_checks.h"

namespace ert::ops {

// [1, T, ..] with the axes of `full` behind the second.
inline bool is_packed_form(const Operand& packed, const Operand& full, const RowMap& rows) {
  if (rows.batch < 1 || full.rank < 2 || packed.rank != full.rank || packed.dtype != full.dtype) return false;
  if (packed.dims[0] != 1 || packed.dims[1] != rows.total) return false;
  for (int axis = 2; axis < full.rank; ++axis) {
    if (packed.dims[axis] != full.dims[axis]) return false;
  }
  return true;
}

inline bool is_axis_or_one(int32_t size, int32_t axis) { return size == axis || size == 1; }

inline size_t row_bytes(const Operand& o) { return static_cast<size_t>(elements_between(o, 2, o.rank)) * element_bytes(o); }

}  // namespace ert::ops
