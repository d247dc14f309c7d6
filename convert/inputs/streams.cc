// See streams.h.
#include "convert/inputs/streams.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "convert/interp/interpreter.h"

namespace edgeconv {

namespace {

using Set = std::vector<Tensor>;

// As the blob of this model has them.
std::vector<BoundaryInfo> boundary(const Graph& g, const DimPlan& dims) {
  std::vector<BoundaryInfo> inputs;
  for (ValueId v : g.inputs) {
    BoundaryInfo info;
    info.name = g.value(v).name;
    info.shape.assign(static_cast<size_t>(g.value(v).rank()), -1);
    inputs.push_back(std::move(info));
  }
  for (const KeptState& s : dims.kept_states) inputs[s.input].state = static_cast<int>(s.output);
  return inputs;
}

// Samples along a first axis of fixed size are frames as well.
Tensor with_axis_of_frames(Tensor array, const Shape& shape) {
  if (shape.empty() || array.dims().size() != shape.size()) return array;
  const std::optional<int64_t> rows = shape.front().constant();
  std::vector<int64_t> dims = array.dims();
  if (!rows || *rows <= 0 || dims[0] <= *rows || dims[0] % *rows != 0) return array;
  const int64_t frames = dims[0] / *rows;
  dims[0] = *rows;
  dims.insert(dims.begin(), frames);
  return array.reshaped(dims);
}

Tensor zero_state(const Value& v) {
  std::vector<int64_t> dims;
  for (const DimExpr& e : *v.shape) dims.push_back(e.constant().value());
  return Tensor(v.dtype, dims);
}

bool in_table(const Tensor& state, const std::pair<int32_t, int32_t>& range) {
  const std::vector<int64_t> values = state.to_int64();
  return std::all_of(values.begin(), values.end(), [&](int64_t n) { return n >= range.first && n <= range.second; });
}

}  // namespace

std::vector<KeptState> states_of(const Graph& g, const DimPlan& dims) {
  std::vector<KeptState> states;
  for (size_t i = 0; i < g.inputs.size(); ++i)
    if (const auto kind = dims.kinds.find(g.inputs[i]); kind != dims.kinds.end() && kind->second.kind == InputKind::kState)
      states.push_back({static_cast<size_t>(kind->second.output), i});
  return states;
}

size_t follow_states(const Graph& g, const DimPlan& dims, const std::vector<KeptState>& states, std::vector<Set>& sets) {
  Set outputs;
  for (size_t k = 0; k < sets.size(); ++k) {
    Set& set = sets[k];
    for (const KeptState& s : states) {
      Tensor& state = set[s.input];
      const Tensor* given = outputs.empty() ? nullptr : &outputs[s.output];
      // A state of another size grows with the runs; outputs of custom operators have none.
      const bool goes_on = given && given->dtype() == state.dtype() && given->dims() == state.dims();
      state = goes_on ? *given : Tensor(state.dtype(), state.dims());
      const auto range = dims.input_range.find(g.inputs[s.input]);
      if (k > 0 && range != dims.input_range.end() && !is_float(state.dtype()) && !in_table(state, range->second)) return k;
    }
    outputs = interpret(g, set, {Backend::kCanonical, {}});
  }
  return sets.size();
}

std::vector<Set> recorded_frames(const Graph& g, const DimPlan& dims, Frame arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i]) arrays[i] = with_axis_of_frames(std::move(*arrays[i]), *g.value(g.inputs[i]).shape);
  std::vector<Set> sets;
  for (const Frame& frame : frames_of(arrays, boundary(g, dims)).inputs) {
    Set set;
    for (size_t i = 0; i < frame.size(); ++i) set.push_back(frame[i] ? *frame[i] : zero_state(g.value(g.inputs[i])));
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace edgeconv
