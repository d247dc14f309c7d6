// Concat of any number of operands along one axis.
#include "rt/ops/copy_short.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace concat_op {

using namespace ops;
namespace cat = params::concat;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, kMaxOperands}, {1, 1}, {cat::kIntCount, cat::kIntCount}, {0, 0})) return false;
  const Operand& out = output(c, 0);
  const int32_t axis = c.ints[cat::kAxis];
  if (element_bytes(out) == 0 || !is_axis(axis, out.rank)) return false;
  int64_t along = 0;
  for (uint32_t i = 0; i < c.n_inputs; ++i) {
    const Operand& in = c.inputs[i];
    if (in.dtype != out.dtype || in.rank != out.rank) return false;
    for (int d = 0; d < out.rank; ++d) {
      if (d != axis && in.dims[d] != out.dims[d]) return false;
    }
    along += in.dims[axis];
  }
  return along == out.dims[axis];
}

ert_status run(const OpContext& c) {
  const Operand& out = output(c, 0);
  const int32_t axis = c.ints[cat::kAxis];
  const int64_t bytes = elements_between(out, axis + 1, out.rank) * static_cast<int64_t>(element_bytes(out));
  const int64_t out_step = bytes * out.dims[axis];
  int64_t at = 0;
  for (uint32_t i = 0; i < c.n_inputs; ++i) {
    const Operand& in = c.inputs[i];
    const int64_t part = bytes * in.dims[axis];
    uint8_t* dst = out.mut<uint8_t>() + at;
    for_blocks(c, part == 0 ? 0 : elements_between(out, 0, axis), part, 1, [&](int64_t begin, int64_t end, uint32_t) {
      for (int64_t row = begin; row < end; ++row)
        copy_short(in.as<uint8_t>() + row * part, static_cast<size_t>(part), dst + row * out_step);
    });
    at += part;
  }
  return ERT_OK;
}

}  // namespace concat_op
}  // namespace

const OpDef kOpConcat = {"Concat", concat_op::prepare, concat_op::run, nullptr, 0};

}  // namespace ert
