// L2Normalize over the last axis: x / max(sqrt(sum x^2), epsilon), the sum in canonical order.
#include "kernels_int8/ref/square_root.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace l2_normalize_op {

using namespace ops;
namespace l2 = params::l2_normalize;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {l2::kFloatCount, l2::kFloatCount})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  if (!is_f32(x) || !is_f32(out) || !same_shape(x, out) || x.rank < 1 || x.dims[x.rank - 1] < 1) return false;
  return is_finite(c.floats[l2::kEpsilon]) && c.floats[l2::kEpsilon] >= 0.0f;
}

ert_status run(const OpContext& c) {
  const Operand& x = input(c, 0);
  const int64_t n = x.dims[x.rank - 1];
  for_blocks(c, x.elements() / n, n, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end; ++row) {
      const float* src = x.as<float>() + row * n;
      float* dst = output(c, 0).mut<float>() + row * n;
      const float norm = kernels::square_root(c.kernels->sum_squares(static_cast<size_t>(n), src));
      const float divisor = less(c.floats[l2::kEpsilon], norm) ? norm : c.floats[l2::kEpsilon];
      for (int64_t j = 0; j < n; ++j) dst[j] = over(src[j], divisor);
    }
  });
  return ERT_OK;
}

}  // namespace l2_normalize_op
}  // namespace

const OpDef kOpL2Normalize = {"L2Normalize", l2_normalize_op::prepare, l2_normalize_op::run, nullptr, 1};

}  // namespace ert
