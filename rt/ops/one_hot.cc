// OneHot: a new axis that is `on` at the index and `off` elsewhere; an index out of range gives no `on`.
#include "rt/ops/data_index.h"
#include "rt/ops/element_bits.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"

namespace ert {
namespace {
namespace one_hot_op {

using namespace ops;
namespace oh = params::one_hot;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {oh::kIntCount, oh::kIntCount}, {0, 0})) return false;
  const Operand &indices = input(c, 0), &out = output(c, 0);
  const int32_t axis = c.ints[oh::kAxis];
  if (!is_i32(indices) || element_bytes(out) == 0 || out.rank != indices.rank + 1 || !is_axis(axis, out.rank)) return false;
  for (int i = 0; i < indices.rank; ++i) {
    if (indices.dims[i] != out.dims[i < axis ? i : i + 1]) return false;
  }
  return true;
}

ert_status run(const OpContext& c) {
  const Operand &indices = input(c, 0), &out = output(c, 0);
  const int32_t axis = c.ints[oh::kAxis];
  const int64_t depth = out.dims[axis], inner = elements_between(out, axis + 1, out.rank), n = indices.elements();
  fill_elements(out, 0, out.elements(), c.ints[oh::kOffBits]);
  for (int64_t i = 0; i < n; ++i) {
    int64_t index = 0;
    if (!resolve_index(indices.as<int32_t>()[i], depth, &index)) continue;
    const int64_t at = (i / inner * depth + index) * inner + i % inner;
    fill_elements(out, at, at + 1, c.ints[oh::kOnBits]);
  }
  return ERT_OK;
}

}  // namespace one_hot_op
}  // namespace

const OpDef kOpOneHot = {"OneHot", one_hot_op::prepare, one_hot_op::run, nullptr, 0};

}  // namespace ert
