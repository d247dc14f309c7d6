// GatherND: slices of the data by tuples of coordinates.
#include <string.h>

#include "rt/ops/index_tuples.h"
#include "rt/ops/op_defs.h"

namespace ert {
namespace {
namespace gather_nd_op {

using namespace ops;
namespace gnd = params::gather_nd;

enum { kData, kIndices };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 2}, {1, 1}, {gnd::kIntCount, gnd::kIntCount}, {0, 0})) return false;
  const Operand &data = input(c, kData), &out = output(c, 0);
  return element_bytes(data) != 0 && out.dtype == data.dtype &&
         index_tuples_ok(data, input(c, kIndices), out, c.ints[gnd::kBatchDims]);
}

ert_status run(const OpContext& c) {
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &out = output(c, 0);
  const int32_t batch_dims = c.ints[gnd::kBatchDims];
  const int64_t element = static_cast<int64_t>(element_bytes(data)), bytes = slice_elements(data, indices, batch_dims) * element;
  const bool ok = for_index_tuples(data, indices, batch_dims, [&](int64_t i, int64_t offset) {
    memcpy(out.mut<uint8_t>() + i * bytes, data.as<uint8_t>() + offset * element, static_cast<size_t>(bytes));
  });
  return ok ? ERT_OK : ERT_ERR_INPUT;
}

}  // namespace gather_nd_op
}  // namespace

const OpDef kOpGatherND = {"GatherND", gather_nd_op::prepare, gather_nd_op::run, nullptr, 0, 1u << gather_nd_op::kData};

}  // namespace ert
