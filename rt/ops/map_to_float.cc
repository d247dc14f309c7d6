// MapToFloat: the values of an 8-bit map.
#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace map_to_float_op {

using namespace ops;
namespace mf = params::map_to_float;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, mf::kInputCount}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &q = input(c, mf::kQ), &out = output(c, 0);
  return is_map(q, input(c, mf::kScales)) && is_f32(out) && same_shape(q, out) && factors_ok(input(c, mf::kFactors), q.dims[3]);
}

ert_status run(const OpContext& c) {
  const Map map = {input(c, mf::kQ), input(c, mf::kScales)};
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const float* factors = floats_or_null(input(c, mf::kFactors));
  float* out = output(c, 0).mut<float>();
  for_blocks(c, map.rows(), map.row_bytes(), 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t r = begin; r < end; ++r) map.restore_row(k, r, factors, out + r * map.row_bytes());
  });
  return ERT_OK;
}

}  // namespace map_to_float_op
}  // namespace

const OpDef kOpMapToFloat = {"MapToFloat", map_to_float_op::prepare, map_to_float_op::run, nullptr, 0};

}  // namespace ert
