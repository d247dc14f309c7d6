// See golden.h.
#include "convert/blob/golden.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "convert/ir/diagnostics.h"
#include "convert/inputs/synthetic_inputs.h"

namespace edgeconv {

namespace {

constexpr size_t kMostBytes = size_t{1} << 20;  // beside a small blob

SyntheticSpec made_up_spec(int i) {
  SyntheticSpec spec{1, 8, false, 900 + static_cast<uint64_t>(i), true};
  spec.samples_per_token = 1;  // small, so that a board has room for them
  return spec;
}

bool runs(BlobRunner& runner, const std::vector<Tensor>& inputs) {
  try {
    runner.run(inputs);
    return true;
  } catch (const FatalError& e) {
    if (e.code() != ExitCode::kMalformed && e.code() != ExitCode::kUsage) throw;
    return false;
  }
}

// The first row of every input; nothing where an input has no leading axis of a free size.
std::optional<std::vector<Tensor>> first_row(const Graph& g, const std::vector<Tensor>& set) {
  std::vector<Tensor> row;
  for (size_t i = 0; i < set.size(); ++i) {
    const Shape& shape = *g.value(g.inputs[i]).shape;
    if (shape.empty() || !shape[0].is_symbol()) return {};
    std::vector<int64_t> dims = set[i].dims();
    dims[0] = 1;
    row.emplace_back(set[i].dtype(), dims);
    std::memcpy(row.back().mutable_data(), set[i].data(), row.back().bytes());
  }
  return row;
}

int64_t elements(const std::vector<Tensor>& set) {
  int64_t n = 0;
  for (const Tensor& t : set) n += t.elements();
  return n;
}

std::vector<std::vector<Tensor>> smallest_given(BlobRunner& runner, const Graph& g, size_t count,
                                                std::vector<std::vector<Tensor>> given) {
  std::stable_sort(given.begin(), given.end(), [](const auto& a, const auto& b) { return elements(a) < elements(b); });
  std::vector<std::vector<Tensor>> sets;
  for (const auto& set : given) {
    if (sets.size() == count) break;
    if (const auto row = first_row(g, set); row && runs(runner, *row))
      sets.push_back(*row);
    else if (runs(runner, set))
      sets.push_back(set);
  }
  return sets;
}

}  // namespace

GoldenInputs golden_inputs(BlobRunner& runner, const Graph& g, const DimPlan& dims, int count,
                           const std::vector<std::vector<Tensor>>& given) {
  GoldenInputs golden;
  for (int i = 0; i < count; ++i) {
    std::vector<Tensor> made_up = synthetic_inputs(g, dims, made_up_spec(i));
    for (const Tensor& t : made_up)
      if (t.elements() == 0) return {};
    if (!given.empty() && !runs(runner, made_up)) return {smallest_given(runner, g, static_cast<size_t>(count), given), true};
    golden.sets.push_back(std::move(made_up));
  }
  return golden;
}

GoldenVector golden_sizes(const TargetProgram& p, const Graph& g, const DimPlan& dims) {
  const DimSizes sizes = synthetic_sizes(g, dims, made_up_spec(0));
  GoldenVector v;
  for (const TargetDim& d : p.dims) v.dims.push_back(static_cast<int32_t>(sizes.at(d.name)));
  const auto zeros = [&](int value, DType t) {
    std::vector<int64_t> shape;
    for (const DimExpr& d : p.values[static_cast<size_t>(value)].shape) shape.push_back(d.evaluate(sizes).value());
    return Tensor(t, shape);
  };
  for (size_t i = 0; i < p.inputs.size(); ++i) v.inputs.push_back(zeros(p.inputs[i].value, g.value(g.inputs[i]).dtype));
  for (size_t i = 0; i < p.outputs.size(); ++i) v.outputs.push_back(zeros(p.outputs[i].value, g.value(g.outputs[i]).dtype));
  return v;
}

void limit_golden(std::vector<GoldenVector>& golden, size_t blob_bytes) {
  size_t left = blob_bytes + kMostBytes;
  for (size_t i = 0; i < golden.size(); ++i) {
    size_t bytes = 0;
    for (const auto* tensors : {&golden[i].inputs, &golden[i].outputs})
      for (const Tensor& t : *tensors) bytes += t.bytes();
    if (bytes > left) return golden.resize(i);
    left -= bytes;
  }
}

std::vector<GoldenVector> golden_vectors(BlobRunner& runner, const std::vector<std::vector<Tensor>>& inputs) {
  std::vector<GoldenVector> golden;
  for (const std::vector<Tensor>& set : inputs) golden.push_back({runner.dims_of(set), set, runner.run(set)});
  return golden;
}

}  // namespace edgeconv
