// Slice: from a start in steps, per axis; the output's shape says how many.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace slice_op {

using namespace ops;
namespace sl = params::slice;

int64_t start_of(const OpContext& c, int axis) { return expr(c, c.ints[sl::kAxisInts * axis + sl::kStartExpr]); }
int32_t step_of(const OpContext& c, int axis) { return c.ints[sl::kAxisInts * axis + sl::kStep]; }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 2 * ERT_MAX_RANK}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (element_bytes(in) == 0 || out.dtype != in.dtype || out.rank != in.rank || c.n_ints != uint32_t{sl::kAxisInts} * in.rank)
    return false;
  for (int i = 0; i < in.rank; ++i) {
    if (!is_expr(c, c.ints[sl::kAxisInts * i + sl::kStartExpr]) || step_of(c, i) == 0) return false;
    if (out.dims[i] == 0) continue;
    const int64_t start = start_of(c, i);
    if (start < 0 || start >= in.dims[i]) return false;
    const int64_t last = start + int64_t{out.dims[i] - 1} * step_of(c, i);
    if (last < 0 || last >= in.dims[i]) return false;
  }
  return true;
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (out.elements() == 0) return ERT_OK;
  int64_t dense[ERT_MAX_RANK], strides[ERT_MAX_RANK], first = 0;
  dense_strides(in, dense);
  for (int i = 0; i < in.rank; ++i) {
    strides[i] = dense[i] * step_of(c, i);
    first += dense[i] * start_of(c, i);
  }
  StridedWalk walk(out);
  walk.add_strided(strides, first);
  walk.merge();
  strided_copy(c, walk, in, out, element_bytes(in));
  return ERT_OK;
}

}  // namespace slice_op
}  // namespace

const OpDef kOpSlice = {"Slice", slice_op::prepare, slice_op::run, nullptr, 0};

}  // namespace ert
