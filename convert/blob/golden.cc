// See golden.h.
#include "convert/blob/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "convert/ir/diagnostics.h"
#include "convert/inputs/synthetic_inputs.h"
#include "convert/interp/memory_limits.h"

namespace edgeconv {

namespace {

constexpr size_t kLeastBytes = 4096;  // beside a small blob
constexpr uint32_t kSeed = 31, kSeedsOfVector = 1 << 16, kSeedsOfTry = 1 << 12;
constexpr double kSteps = 1 << 14;  // of a float input to its largest value, at least
constexpr uint32_t kTries = 4;
constexpr double kMostOfRun = 64e6;  // bytes that one run holds

// Small, so that a board has room for them: beside large fixed sizes fewer tokens, or rows.
SyntheticSpec made_up_spec(const Graph& g, const DimPlan& dims, int i) {
  SyntheticSpec spec{1, 8, false, 900 + static_cast<uint64_t>(i), true};
  spec.samples_per_token = 1;
  while (spec.tokens > 1 && run_bytes(g, synthetic_sizes(g, dims, spec)) > kMostOfRun) spec.tokens /= 2;
  return spec;
}

bool runs(BlobRunner& runner, const std::vector<Tensor>& inputs) { return outputs_if_taken(runner, inputs).has_value(); }

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

// A recipe for inputs like this one: integers over its range (masks stay ones), floats of its mean and power.
ert::Recipe recipe_like(const Tensor& t) {
  ert::Recipe r{};
  r.kind = static_cast<uint32_t>(ert::RecipeKind::kMade);
  const Tensor values = t.cast(DType::kDouble);
  const auto x = values.as<double>();
  double low = x[0], high = x[0], sum = 0, squares = 0;
  for (const double v : x) {
    low = std::min(low, v), high = std::max(high, v);
    sum += v, squares += v * v;
  }
  double scale = 1;
  if (is_float(t.dtype())) {
    const double mean = sum / static_cast<double>(x.size()), variance = squares / static_cast<double>(x.size()) - mean * mean;
    const double half = std::sqrt(3 * std::max(variance, 0.0));  // of a uniform distribution with this variance
    low = std::max(low, mean - half), high = std::min(high, mean + half);
    const double most = std::max(std::fabs(low), std::fabs(high));
    while (most > 0 && most * scale < kSteps && r.exponent > -ert::kMostMadeExponent) scale *= 2, --r.exponent;
    while (most * scale >= 2 * kSteps && r.exponent < ert::kMostMadeExponent) scale /= 2, ++r.exponent;
  }
  const double limit = is_float(t.dtype()) ? ert::kMostMadeFloat : INT32_MAX;
  r.low = static_cast<int32_t>(std::clamp(std::nearbyint(low * scale), -limit, limit));
  r.high = static_cast<int32_t>(std::clamp(std::nearbyint(high * scale), static_cast<double>(r.low), limit));
  return r;
}

void make(Tensor& t, ert::Recipe& r, uint32_t seed) {
  r.seed = seed;
  Tensor made(t.dtype(), t.dims());
  ert::make_input(r, ert_dtype_of(t.dtype()), made.bytes(), made.mutable_data());
  t = std::move(made);
}

// The outputs for the inputs that were made; further seeds where two of them give the same, which would be no evidence. False if the
// blob refuses them (integers that index what it computes).
bool find_moving(const GoldenRun& run, GoldenVector& v, size_t most, uint32_t seed, bool* still) {
  std::optional<std::vector<Tensor>> outputs = run(v.inputs);
  if (!outputs) return false;
  v.outputs = std::move(*outputs);
  for (uint32_t attempt = 1; attempt <= kTries; ++attempt) {
    GoldenVector next = v;
    shorten(next, most, seed + attempt * kSeedsOfTry);
    outputs = run(next.inputs);
    if (!outputs) return true;
    next.outputs = std::move(*outputs);
    GoldenVector same_inputs = next;
    same_inputs.inputs = v.inputs;
    if (!(same_inputs == v)) return true;
    v = std::move(next);
  }
  *still = true;
  return true;
}

}  // namespace

std::optional<std::vector<Tensor>> outputs_if_taken(BlobRunner& runner, const std::vector<Tensor>& inputs) {
  try {
    return runner.run(inputs);
  } catch (const FatalError& e) {
    if (e.code() != ExitCode::kMalformed && e.code() != ExitCode::kUsage) throw;
    return {};
  }
}

GoldenInputs golden_inputs(BlobRunner& runner, const Graph& g, const DimPlan& dims, int count,
                           const std::vector<std::vector<Tensor>>& given) {
  GoldenInputs golden;
  for (int i = 0; i < count; ++i) {
    std::vector<Tensor> made_up = synthetic_inputs(g, dims, made_up_spec(g, dims, i));
    for (const Tensor& t : made_up)
      if (t.elements() == 0) return {};
    if (!given.empty() && !runs(runner, made_up)) return {smallest_given(runner, g, static_cast<size_t>(count), given), true};
    golden.sets.push_back(std::move(made_up));
  }
  return golden;
}

GoldenVector golden_sizes(const TargetProgram& p, const Graph& g, const DimPlan& dims) {
  const DimSizes sizes = synthetic_sizes(g, dims, made_up_spec(g, dims, 0));
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

size_t most_golden_bytes(size_t blob_bytes) { return std::max(blob_bytes / 10, kLeastBytes); }

ShortForm shorten(GoldenVector& v, size_t most, uint32_t seed) {
  if (golden_bytes(v) <= most && !v.short_form) return {};
  v.short_form = true;
  v.made.resize(v.inputs.size());
  ShortForm form;
  for (size_t i = 0; i < v.inputs.size(); ++i)
    if (v.made[i]) make(v.inputs[i], *v.made[i], seed + static_cast<uint32_t>(i));
  while (golden_bytes(v) > most) {
    size_t largest = v.inputs.size();
    for (size_t i = 0; i < v.inputs.size(); ++i)
      if (!v.made[i] && v.inputs[i].elements() > 0 &&
          (largest == v.inputs.size() || v.inputs[i].bytes() > v.inputs[largest].bytes()))
        largest = i;
    if (largest == v.inputs.size()) return {false, form.new_inputs};
    v.made[largest] = recipe_like(v.inputs[largest]);
    make(v.inputs[largest], *v.made[largest], seed + static_cast<uint32_t>(largest));
    form.new_inputs = true;
  }
  return form;
}

std::vector<GoldenVector> shortened(const GoldenRun& run, std::vector<GoldenVector> golden, size_t blob_bytes, bool* still) {
  size_t left = most_golden_bytes(blob_bytes);
  std::vector<GoldenVector> stored;
  for (size_t g = 0; g < golden.size(); ++g) {
    GoldenVector& v = golden[g];
    const size_t most = left / (golden.size() - g);
    const uint32_t seed = kSeed + static_cast<uint32_t>(g) * kSeedsOfVector;
    const ShortForm form = shorten(v, most, seed);
    if (!form.fits) continue;
    if (form.new_inputs && !find_moving(run, v, most, seed, still)) continue;
    left -= golden_bytes(v);
    stored.push_back(std::move(v));
  }
  return stored;
}

std::vector<GoldenVector> golden_vectors(BlobRunner& runner, const std::vector<std::vector<Tensor>>& inputs) {
  std::vector<GoldenVector> golden;
  for (const std::vector<Tensor>& set : inputs) golden.push_back({runner.dims_of(set), set, runner.run(set)});
  return golden;
}

}  // namespace edgeconv
