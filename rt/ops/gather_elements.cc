// GatherElements: one element of the data per index.
#include "rt/ops/element_index_walk.h"
#include "rt/ops/op_defs.h"

namespace ert {
namespace {
namespace gather_elements_op {

using namespace ops;

enum { kData, kIndices };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 2}, {1, 1}, {params::gather::kIntCount, params::gather::kIntCount}, {0, 0})) return false;
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &out = output(c, 0);
  if (element_bytes(data) == 0 || out.dtype != data.dtype || !same_shape(indices, out)) return false;
  return element_indices_ok(data, indices, c.ints[params::gather::kAxis]);
}

template <class T>
bool gather(const OpContext& c) {
  const T* src = input(c, kData).as<T>();
  T* dst = output(c, 0).mut<T>();
  return for_element_indices(input(c, kData), input(c, kIndices), c.ints[params::gather::kAxis],
                             [&](int64_t i, int64_t offset) { dst[i] = src[offset]; });
}

ert_status run(const OpContext& c) {
  const bool ok = element_bytes(output(c, 0)) == 4 ? gather<Word32>(c) : gather<uint8_t>(c);
  return ok ? ERT_OK : ERT_ERR_INPUT;
}

}  // namespace gather_elements_op
}  // namespace

const OpDef kOpGatherElements = {"GatherElements", gather_elements_op::prepare, gather_elements_op::run, nullptr, 0, 1u << gather_elements_op::kData};

}  // namespace ert
