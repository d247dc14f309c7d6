// See trial_inputs.h.
#include "convert/passes/trial_inputs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "convert/interp/interpreter.h"
#include "convert/interp/memory_limits.h"
#include "convert/interp/work.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"

namespace edgeconv {

namespace {

constexpr int64_t kBatch = 2;
// Dims that are no leading axis: first all different, so that a mix-up shows, then all equal. Convolutions over audio samples need many.
constexpr int64_t kFirstOfDifferent = 5;
constexpr int64_t kEqual[] = {8, 1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
// Nanoseconds of one run (interp/work.h).
constexpr double kMostWork = 3e8;

class Random {
 public:
  uint32_t next() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }
  float uniform() { return static_cast<float>(next()) * 0x1p-22f - 2.0f; }

 private:
  uint32_t state_ = 12345;
};

// Of all named dims. equal = 0: different ones.
DimSizes sizes(const Graph& g, int64_t equal) {
  DimSizes size;
  std::set<std::string> leading;
  for (ValueId v : g.inputs) {
    const Shape& shape = *g.value(v).shape;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (const std::string& name : shape[axis].symbols()) {
        if (axis == 0) leading.insert(name);
        size[name] = 0;
      }
  }
  int64_t different = kFirstOfDifferent;
  for (auto& [name, n] : size) {
    n = leading.count(name) ? kBatch : equal ? equal : different++;
    if (const auto least = g.least_dims.find(name); least != g.least_dims.end()) n = std::max(n, least->second);
    n = size_at_least(name, n);
  }
  return size;
}

// Nothing is negative, what must be equal is, and a run is cheap.
std::string why_not(const Graph& g, const DimSizes& size) {
  for (const Value& v : g.values)
    for (const DimExpr& d : v.shape.value_or(Shape{}))
      if (const auto n = d.evaluate(size); n && *n < 0) return "a size is negative at the sizes that were tried";
  for (const SizeEquality& e : g.equalities)
    if (e.lhs.evaluate(size) != e.rhs.evaluate(size)) return "sizes that must be equal are not at the sizes that were tried";
  if (graph_work(g, size) > kMostWork || !within_interpreter_limits(g, size)) return "a run takes too much time or memory";
  return "";
}

// Integers are 0 and 1: rows of every table, and a mask in which each row has tokens and padding whichever of the two marks them. One
// per row is a length, where 1 is always valid.
int64_t integer_at(size_t row, size_t column, size_t width, Random& random) {
  if (column < 2 && width > 1) return column == row % 2;
  return random.next() % 2;
}

Tensor made_up(const Value& v, const DimSizes& size, Random& random) {
  std::vector<int64_t> dims;
  for (const DimExpr& d : *v.shape) dims.push_back(d.evaluate(size).value());
  Tensor t(DType::kFloat, dims);
  const auto out = t.mut<float>();
  const bool mask = v.name.find("mask") != std::string::npos;
  if (is_float(v.dtype) && !(mask && dims.size() >= 2)) {
    for (float& x : out) x = random.uniform();
    return t.cast(v.dtype);
  }
  const size_t width = dims.empty() ? 1 : static_cast<size_t>(std::max<int64_t>(1, dims.back()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = dims.size() < 2 ? 1.0f : static_cast<float>(integer_at(i / width, i % width, width, random));
  // Several coordinates per token are a box: its corners are in order.
  if (dims.size() > 2 && v.shape->back().is_constant())
    for (size_t i = 0; i + width <= out.size(); i += width)
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(i + width));
  return t.cast(v.dtype);
}

// An output without a type depends on a custom operator; the others must tell something.
bool tells_something(const std::vector<Tensor>& outputs) {
  bool any = false;
  for (const Tensor& t : outputs) {
    if (t.dtype() == DType::kUndefined) continue;
    if (t.elements() == 0) return false;
    if (!is_float(t.dtype())) {
      any = true;
      continue;
    }
    const std::vector<float> x = t.to_float();
    if (std::none_of(x.begin(), x.end(), [](float e) { return std::isfinite(e); })) return false;
    any = true;
  }
  return any;
}

void attempt(const Graph& g, int64_t equal, TrialInputs& t) {
  const DimSizes size = sizes(g, equal);
  t.reason = why_not(g, size);
  if (!t.reason.empty()) return;
  try {
    Random random;
    t.inputs.clear();
    for (ValueId v : g.inputs) t.inputs.push_back(made_up(g.value(v), size, random));
    t.outputs = interpret(g, t.inputs);
    if (!tells_something(t.outputs)) t.reason = "an output is empty or not finite";
  } catch (const FatalError& e) {
    t.reason = e.what();
  }
}

}  // namespace

TrialInputs trial_inputs(const Graph& g) {
  TrialInputs t;
  for (ValueId v : g.inputs)
    if (!g.value(v).shape || dtype_size(g.value(v).dtype) == 0) {
      t.reason = "the type or rank of input '" + g.value(v).name + "' is not known";
      return t;
    }
  attempt(g, 0, t);
  for (const int64_t equal : kEqual) {
    if (t.reason.empty()) break;
    attempt(g, equal, t);
  }
  return t;
}

}  // namespace edgeconv
