// Fill: every element is one constant.
#include "rt/ops/element_bits.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace fill_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  return check_counts(c, {0, 0}, {1, 1}, {params::fill::kIntCount, params::fill::kIntCount}, {0, 0}) &&
         element_bytes(output(c, 0)) != 0;
}

ert_status run(const OpContext& c) {
  for_blocks(c, output(c, 0).elements(), 1, 64,
             [&](int64_t begin, int64_t end, uint32_t) { fill_elements(output(c, 0), begin, end, c.ints[params::fill::kBits]); });
  return ERT_OK;
}

}  // namespace fill_op
}  // namespace

const OpDef kOpFill = {"Fill", fill_op::prepare, fill_op::run, nullptr, 0};

}  // namespace ert
