// GatherElements and ScatterElements: indices of the data's rank, one per element, that replace the coordinate along one axis.
#pragma once

#include "rt/ops/data_index.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/strided_walk.h"

namespace ert::ops {

// Other axes of the indices must not reach beyond the data.
inline bool element_indices_ok(const Operand& data, const Operand& indices, int32_t axis) {
  if (!is_i32(indices) || indices.rank != data.rank || !is_axis(axis, data.rank)) return false;
  for (int i = 0; i < data.rank; ++i) {
    if (i != axis && indices.dims[i] > data.dims[i]) return false;
  }
  return true;
}

// Calls visit(i, offset) for every index in order: i counts indices, offset is the element of the data. False on the first
// index out of range.
template <class Visit>
bool for_element_indices(const Operand& data, const Operand& indices, int32_t axis, const Visit& visit) {
  int64_t strides[ERT_MAX_RANK];
  dense_strides(data, strides);
  const int64_t step = strides[axis];
  strides[axis] = 0;
  StridedWalk walk(indices);
  walk.add_strided(strides, 0);
  walk.merge();
  bool ok = true;
  walk.runs<1>(0, indices.elements(), [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
    for (int64_t i = 0; i < count && ok; ++i) {
      int64_t index = 0;
      ok = resolve_index(indices.as<int32_t>()[first + i], data.dims[axis], &index);
      if (ok) visit(first + i, offset[0] + i * walk.inner_stride(0) + index * step);
    }
  });
  return ok;
}

}  // namespace ert::ops
