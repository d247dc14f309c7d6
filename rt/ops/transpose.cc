// Transpose: output axis i is input axis ints[i].
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace transpose_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, ERT_MAX_RANK}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (element_bytes(in) == 0 || out.dtype != in.dtype || out.rank != in.rank || c.n_ints != in.rank) return false;
  uint32_t seen = 0;
  for (int i = 0; i < in.rank; ++i) {
    const int32_t axis = c.ints[i];
    if (!is_axis(axis, in.rank) || (seen >> axis & 1) || out.dims[i] != in.dims[axis]) return false;
    seen |= 1u << axis;
  }
  return true;
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  int64_t dense[ERT_MAX_RANK], strides[ERT_MAX_RANK];
  dense_strides(in, dense);
  for (int i = 0; i < in.rank; ++i) strides[i] = dense[c.ints[i]];
  StridedWalk walk(out);
  walk.add_strided(strides, 0);
  walk.merge();
  strided_copy(c, walk, in, out, element_bytes(in));
  return ERT_OK;
}

}  // namespace transpose_op
}  // namespace

const OpDef kOpTranspose = {"Transpose", transpose_op::prepare, transpose_op::run, nullptr, 0};

}  // namespace ert
