// LayerNorm and RMSNorm over the last axis, with the residual addition in the same pass.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/row_norm.h"

namespace ert {
namespace {
namespace layer_norm_op {

using namespace ops;
namespace ln = params::layernorm;

bool same_f32(const Operand& a, const Operand& x) { return is_f32(a) && same_shape(a, x); }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {3, ln::kInputCount}, {1, 2}, {ln::kIntCount, ln::kIntCount}, {ln::kFloatCount, ln::kFloatCount}))
    return false;
  const Operand &x = input(c, ln::kX), &residual = input(c, ln::kResidual), &gamma = input(c, ln::kGamma),
                &beta = input(c, ln::kBeta);
  if (!is_flag(c.ints[ln::kRms]) || !is_finite(c.floats[ln::kEpsilon]) || c.floats[ln::kEpsilon] < 0.0f) return false;
  if (!is_f32(x) || x.rank < 1 || x.dims[x.rank - 1] < 1) return false;
  const int64_t n = x.dims[x.rank - 1];
  if (!is_f32(gamma) || !is_vector(gamma, n)) return false;
  if (beta.present() && (!is_f32(beta) || !is_vector(beta, n))) return false;
  if (residual.present() && !same_f32(residual, x)) return false;
  return same_f32(output(c, 0), x) && (!output(c, 1).present() || same_f32(output(c, 1), x));
}

ert_status run(const OpContext& c) {
  const RowNorm norm = row_norm_of(c);
  const int64_t n = static_cast<int64_t>(norm.n);
  for_blocks(c, input(c, ln::kX).elements() / n, n, 1,
             [&](int64_t begin, int64_t end, uint32_t) { norm.rows(*c.kernels, begin, end); });
  return ERT_OK;
}

}  // namespace layer_norm_op
}  // namespace

const OpDef kOpLayerNorm = {"LayerNorm", layer_norm_op::prepare, layer_norm_op::run, nullptr, 3};

}  // namespace ert
