// The inputs of a model in memory of their own: see inputs.h.
#include "bench/inputs.h"

#include <algorithm>

#include "bench/input_values.h"
#include "bench/measure.h"
#include "rt/sizes/dims.h"
#include "rt/loading/model.h"

namespace ert::bench {

ert_tensor InputData::tensor() const {
  ert_tensor t{};
  t.struct_size = sizeof t;
  t.dtype = dtype;
  t.rank = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), t.shape);
  t.data = const_cast<uint64_t*>(storage.data());
  t.bytes = bytes;
  return t;
}

std::vector<InputData> make_inputs(const ert_model& m, const std::vector<int32_t>& dims) {
  // Axes may be any expression of the dims, which the public API does not evaluate for a caller.
  const ModelState& state = *model_state(&m);
  const Program p = program_view(state.blob, state.root);
  std::vector<int64_t> exprs(p.exprs.size);
  if (!evaluate_exprs(p, dims.data(), exprs.data())) throw Failure{2, "these dims give no valid shape"};
  std::vector<InputData> inputs;
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    InputValues values;
    if (!describe_input(m, p, i, exprs.data(), &values)) throw Failure{2, "these dims give no valid shape"};
    InputData in;
    in.name = values.info.name;
    in.dtype = values.info.dtype;
    in.shape.assign(values.shape.dims, values.shape.dims + values.shape.rank);
    in.bytes = values.bytes;
    in.storage.resize(in.bytes / sizeof(uint64_t) + 1);
    fill_input(values, i, dims.data(), static_cast<uint32_t>(dims.size()), in.storage.data());
    inputs.push_back(std::move(in));
  }
  return inputs;
}

}  // namespace ert::bench
