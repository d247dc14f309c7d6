// QuantizeMap: values become an 8-bit map, each row with a range of its own.
#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace quantize_map_op {

using namespace ops;
namespace qm = params::quantize_map;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, qm::kInputCount}, {2, 2}, {0, 0}, {0, 0})) return false;
  const Operand &x = input(c, qm::kX), &q = output(c, 0);
  return is_f32(x) && is_map(q, output(c, 1)) && same_shape(x, q) && factors_ok(input(c, qm::kFactors), q.dims[3]);
}

ert_status run(const OpContext& c) {
  const Map map = {output(c, 0), output(c, 1)};
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const float *x = input(c, qm::kX).as<float>(), *factors = floats_or_null(input(c, qm::kFactors));
  for_blocks(c, map.rows(), map.row_bytes(), 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t r = begin; r < end; ++r) map.quantize_row(k, r, x + r * map.row_bytes(), factors);
  });
  return ERT_OK;
}

}  // namespace quantize_map_op
}  // namespace

const OpDef kOpQuantizeMap = {"QuantizeMap", quantize_map_op::prepare, quantize_map_op::run, nullptr, 0, 0, 2};

}  // namespace ert
