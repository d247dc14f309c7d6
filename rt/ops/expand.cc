// Expand: numpy broadcast to the output's shape.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace expand_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  return element_bytes(in) != 0 && in.dtype == out.dtype && broadcasts_to(in, out);
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  StridedWalk walk(out);
  walk.add_broadcast(in);
  walk.merge();
  strided_copy(c, walk, in, out, element_bytes(in));
  return ERT_OK;
}

}  // namespace expand_op
}  // namespace

const OpDef kOpExpand = {"Expand", expand_op::prepare, expand_op::run, nullptr, 0};

}  // namespace ert
