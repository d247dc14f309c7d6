// ScatterElements: updates single elements of the data along one axis, in index order.
#include "rt/ops/element_index_walk.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/scatter_reduction.h"

namespace ert {
namespace {
namespace scatter_elements_op {

using namespace ops;
namespace se = params::scatter_elements;

enum { kData, kIndices, kUpdates };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {3, 3}, {1, 1}, {se::kIntCount, se::kIntCount}, {0, 0})) return false;
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &updates = input(c, kUpdates);
  if (!scatter_ok(data, updates, output(c, 0), c.ints[se::kReduction]) || !same_shape(indices, updates)) return false;
  return element_indices_ok(data, indices, c.ints[se::kAxis]);
}

ert_status run(const OpContext& c) {
  const Operand &data = input(c, kData), &updates = input(c, kUpdates), &out = output(c, 0);
  start_from(data, out);
  const bool ok = for_element_indices(data, input(c, kIndices), c.ints[se::kAxis], [&](int64_t i, int64_t offset) {
    scatter(c.ints[se::kReduction], updates, i, out, offset, 1);
  });
  return ok ? ERT_OK : ERT_ERR_INPUT;
}

}  // namespace scatter_elements_op
}  // namespace

const OpDef kOpScatterElements = {"ScatterElements", scatter_elements_op::prepare, scatter_elements_op::run, nullptr, 1};

}  // namespace ert
