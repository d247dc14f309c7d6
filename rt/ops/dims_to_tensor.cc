// DimsToTensor: size expressions as a tensor, for graphs that compute with shapes.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace dims_to_tensor_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {0, 0}, {1, 1}, {0, UINT16_MAX}, {0, 0})) return false;
  const Operand& out = output(c, 0);
  if ((!is_i32(out) && !is_f32(out)) || out.elements() != c.n_ints) return false;
  for (uint32_t i = 0; i < c.n_ints; ++i) {
    if (!is_expr(c, c.ints[i])) return false;
  }
  return true;
}

ert_status run(const OpContext& c) {
  const Operand& out = output(c, 0);
  for (uint32_t i = 0; i < c.n_ints; ++i) {
    const int64_t v = expr(c, c.ints[i]);
    if (is_i32(out)) {
      out.mut<int32_t>()[i] = saturate_i32(v);
    } else {
      out.mut<float>()[i] = static_cast<float>(v);
    }
  }
  return ERT_OK;
}

}  // namespace dims_to_tensor_op
}  // namespace

const OpDef kOpDimsToTensor = {"DimsToTensor", dims_to_tensor_op::prepare, dims_to_tensor_op::run, nullptr, 0};

}  // namespace ert
