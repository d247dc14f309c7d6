// Range: start, start + step, ... in i32, wrapping.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace range_op {

using namespace ops;
namespace rg = params::range;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {0, 0}, {1, 1}, {rg::kIntCount, rg::kIntCount}, {0, 0})) return false;
  return is_i32(output(c, 0)) && output(c, 0).rank == 1 && is_expr(c, c.ints[rg::kStartExpr]);
}

ert_status run(const OpContext& c) {
  const Operand& out = output(c, 0);
  int32_t value = saturate_i32(expr(c, c.ints[rg::kStartExpr]));
  for (int32_t i = 0; i < out.dims[0]; ++i) {
    out.mut<int32_t>()[i] = value;
    value = wrap_add(value, c.ints[rg::kStep]);
  }
  return ERT_OK;
}

}  // namespace range_op
}  // namespace

const OpDef kOpRange = {"Range", range_op::prepare, range_op::run, nullptr, 0};

}  // namespace ert
