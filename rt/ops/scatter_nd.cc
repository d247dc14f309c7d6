// ScatterND: updates whole slices of the data at tuples of coordinates, in index order.
#include "rt/ops/index_tuples.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/scatter_reduction.h"

namespace ert {
namespace {
namespace scatter_nd_op {

using namespace ops;
namespace snd = params::scatter_nd;

enum { kData, kIndices, kUpdates };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {3, 3}, {1, 1}, {snd::kIntCount, snd::kIntCount}, {0, 0})) return false;
  const Operand &data = input(c, kData), &updates = input(c, kUpdates);
  return scatter_ok(data, updates, output(c, 0), c.ints[snd::kReduction]) &&
         index_tuples_ok(data, input(c, kIndices), updates, 0);
}

ert_status run(const OpContext& c) {
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &updates = input(c, kUpdates), &out = output(c, 0);
  const int64_t slice = slice_elements(data, indices, 0);
  start_from(data, out);
  const bool ok = for_index_tuples(data, indices, 0, [&](int64_t i, int64_t offset) {
    scatter(c.ints[snd::kReduction], updates, i * slice, out, offset, slice);
  });
  return ok ? ERT_OK : ERT_ERR_INPUT;
}

}  // namespace scatter_nd_op
}  // namespace

const OpDef kOpScatterND = {"ScatterND", scatter_nd_op::prepare, scatter_nd_op::run, nullptr, 1};

}  // namespace ert
