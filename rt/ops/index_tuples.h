// GatherND and ScatterND: the last axis of the indices holds coordinates of leading axes of the data.
#pragma once

#include "rt/ops/data_index.h"
#include "rt/ops/operand_checks.h"

namespace ert::ops {

// indices [..., t], 1 <= t <= data.rank - batch_dims; `slices` has the shape indices[:-1] + data[batch_dims + t:]; the first
// batch_dims axes of indices and data agree.
inline bool index_tuples_ok(const Operand& data, const Operand& indices, const Operand& slices, int32_t batch_dims) {
  if (!is_i32(indices) || indices.rank < 1 || batch_dims < 0 || batch_dims >= indices.rank || batch_dims >= data.rank)
    return false;
  const int32_t t = indices.dims[indices.rank - 1];
  if (t < 1 || t > data.rank - batch_dims) return false;
  for (int i = 0; i < batch_dims; ++i) {
    if (indices.dims[i] != data.dims[i]) return false;
  }
  const int leading = indices.rank - 1, first = batch_dims + t;
  if (slices.rank != leading + data.rank - first) return false;
  for (int i = 0; i < slices.rank; ++i) {
    if (slices.dims[i] != (i < leading ? indices.dims[i] : data.dims[i - leading + first])) return false;
  }
  return true;
}

// Elements of one slice.
inline int64_t slice_elements(const Operand& data, const Operand& indices, int32_t batch_dims) {
  return elements_between(data, batch_dims + indices.dims[indices.rank - 1], data.rank);
}

// Calls visit(i, offset) per tuple in order: offset is the first element of its slice in the data. False on an index out of
// range.
template <class Visit>
bool for_index_tuples(const Operand& data, const Operand& indices, int32_t batch_dims, const Visit& visit) {
  const int32_t t = indices.dims[indices.rank - 1];
  const int64_t tuples = elements_between(indices, 0, indices.rank - 1);
  const int64_t per_batch = elements_between(indices, batch_dims, indices.rank - 1);
  const int64_t batch_elements = elements_between(data, batch_dims, data.rank);
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t at = 0;
    for (int32_t j = 0; j < t; ++j) {
      int64_t index = 0;
      if (!resolve_index(indices.as<int32_t>()[i * t + j], data.dims[batch_dims + j], &index)) return false;
      at = at * data.dims[batch_dims + j] + index;
    }
    visit(i, i / per_batch * batch_elements + at * slice_elements(data, indices, batch_dims));
  }
  return true;
}

}  // namespace ert::ops
