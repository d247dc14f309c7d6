// Whether every size inside the model makes sense for given dims, and the range of each dim for which all do, found by bisection.
#include "convert/dims/fitting_sizes.h"

#include <set>

#include "convert/ir/axis.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"
#include "convert/passes/fuse_pad.h"

namespace edgeconv {

namespace {

// A TopK finds as many elements as it gives.
bool topk_fits(const Graph& g, const Node& n, const std::map<std::string, int64_t>& dims) {
  const ValueId out = n.outputs[0] != kNone ? n.outputs[0] : n.outputs.back();
  if (out == kNone || !g.value(n.in(0)).shape || !g.value(out).shape || g.value(n.in(0)).rank() < 1) return true;
  const size_t at = axis_index(n.as<TopKAttrs>().axis, g.value(n.in(0)).shape->size());
  const auto have = (*g.value(n.in(0)).shape).at(at).evaluate(dims), want = (*g.value(out).shape).at(at).evaluate(dims);
  return !have || !want || *want <= *have;
}

// GatherElements and ScatterElements have as many indices as the data has elements, or fewer, along every axis but their own.
bool indices_fit(const Graph& g, const Node& n, int64_t axis, const std::map<std::string, int64_t>& dims) {
  if (!g.value(n.in(0)).shape || !g.value(n.in(1)).shape) return true;
  const Shape &data = *g.value(n.in(0)).shape, &indices = *g.value(n.in(1)).shape;
  if (data.size() != indices.size()) return true;
  const size_t along = axis_index(axis, data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const auto have = data[i].evaluate(dims), want = indices[i].evaluate(dims);
    if (i != along && have && want && *want > *have) return false;
  }
  return true;
}

// A mirror shows elements of the axis, but for the one at its end: ONNX Runtime and PyTorch refuse a longer one.
bool mirrors_fit(const Graph& g, const Node& n, const std::map<std::string, int64_t>& dims) {
  const auto &shape = g.value(n.in(0)).shape, &pads = g.value(n.in(1)).elements;
  if (n.as<PadAttrs>().mode != ert::params::pad::kReflect || !shape || !pads) return true;
  std::vector<int64_t> axes;
  if (n.in(3) != kNone && g.value(n.in(3)).constant)
    axes = g.value(n.in(3)).constant->to_int64();
  else
    for (size_t i = 0; i < shape->size(); ++i) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < pads->size() && 2 * axes.size() == pads->size(); ++i) {
    const DimExpr& size = (*shape)[axis_index(axes[i % axes.size()], shape->size())];
    const auto have = size.evaluate(dims), want = (*pads)[i].evaluate(dims);
    if (!size.is_constant() && have && want && *want > 0 && *want >= *have) return false;
  }
  return true;
}

// A node finds in its operands what it reads there.
bool has_enough(const Graph& g, const Node& n, const std::map<std::string, int64_t>& dims) {
  switch (n.kind) {
    case OpKind::kTopK: return topk_fits(g, n, dims);
    case OpKind::kGatherElements: return indices_fit(g, n, n.as<AxisAttrs>().axis, dims);
    case OpKind::kScatterElements: return indices_fit(g, n, n.as<ScatterAttrs>().axis, dims);
    case OpKind::kPad: return mirrors_fit(g, n, dims);
    default: return true;
  }
}

// Fills that nothing but Concats read, and these as padding: they may be empty (passes/fuse_pad.h).
std::set<ValueId> padding_fills(const Graph& g) {
  std::set<ValueId> fills;
  for (const Node& n : g.nodes)
    if (const auto i = n.dead ? std::nullopt : padding_input(g, n)) fills.insert(n.in(*i));
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    const auto i = padding_input(g, n);
    for (size_t k = 0; k < n.inputs.size(); ++k)
      if (i != k) fills.erase(n.in(k));
  }
  for (ValueId v : g.outputs) fills.erase(v);
  return fills;
}

// The first node with a size that makes no sense: the runtime has no empty tensors, and a convolution needs at least one window. Null: none.
const Node* first_misfit(const Graph& g, const std::map<std::string, int64_t>& dims) {
  const std::set<ValueId> fills = padding_fills(g);
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    if (!has_enough(g, n, dims)) return &n;
    for (ValueId v : n.outputs) {
      if (v == kNone || !g.value(v).shape || g.value(v).elements) continue;
      for (const DimExpr& size : *g.value(v).shape)
        if (const auto value = size.evaluate(dims); !size.is_constant() && value && *value < (fills.count(v) ? 0 : 1))
          return &n;
    }
  }
  return nullptr;
}

bool sizes_fit(const Graph& g, const std::map<std::string, int64_t>& dims) { return first_misfit(g, dims) == nullptr; }

// Says which --dim would help: a hint to raise a dim that a table limits, or that does not matter, helps nobody.
[[noreturn]] void refuse_maxima(const Graph& g, const DimPlan& plan, const std::string& what) {
  constexpr int64_t kMostTried = 1 << 20;
  std::map<std::string, int64_t> dims, raised;
  std::string limited, offers, all;
  for (const auto& [name, range] : plan.range) dims[name] = raised[name] = range.second;
  for (const auto& [name, range] : plan.range) {
    const auto limit = plan.table_limit.find(name);
    const int64_t most = limit == plan.table_limit.end() ? kMostTried : limit->second;
    if (limit != plan.table_limit.end())
      limited += (limited.empty() ? "" : ", ") + name + " at most " + std::to_string(limit->second);
    if (range.second >= most) continue;
    all += (all.empty() ? "" : " ") + ("--dim " + shell_word(name + "=MAX"));
    raised[name] = most;
    std::map<std::string, int64_t> one = dims;
    for (int64_t n = range.second; n < most;) {
      n = one[name] = std::min(most, n * 2);
      if (!sizes_fit(g, one)) continue;
      offers += (offers.empty() ? "" : " or ") + ("--dim " + shell_word(name + "=" + std::to_string(n)));
      break;
    }
  }
  if (offers.empty() && sizes_fit(g, raised)) offers = all;
  const std::string why = limited.empty() ? "" : " (the model's own tables allow " + limited + ")";
  if (!offers.empty()) throw FatalError(ExitCode::kUsage, what + "raise them with " + offers + why);
  throw FatalError(ExitCode::kUnsupported, what + "no larger ones help" + why);
}

}  // namespace

namespace {

// The smallest value of a dim in (too_small, most] for which all sizes fit, the other dims as they are; 0 if there is none.
int64_t smallest_fit(const Graph& g, std::map<std::string, int64_t> dims, const std::string& name, int64_t too_small,
                     int64_t most) {
  dims[name] = most;
  if (most <= too_small || !sizes_fit(g, dims)) return 0;
  int64_t fits = most;
  while (fits - too_small > 1) {
    const int64_t middle = dims[name] = too_small + (fits - too_small) / 2;
    (sizes_fit(g, dims) ? fits : too_small) = middle;
  }
  return size_at_least(name, fits);
}

// What each dim leaves at the others' maxima may be too little where all are at their smallest (a TopK over batch * tokens). The dim that
// has to be raised least is; none alone may do, then one is at its maximum.
void raise_together(const Graph& g, DimPlan& plan) {
  std::map<std::string, int64_t> dims;
  for (const auto& [name, range] : plan.range) dims[name] = range.first;
  for (size_t tries = 0; tries < plan.range.size() && !sizes_fit(g, dims); ++tries) {
    std::string raised;
    int64_t least = 0;
    for (const auto& [name, range] : plan.range)
      if (const int64_t fit = smallest_fit(g, dims, name, dims[name], range.second); fit && (least == 0 || fit <= least))
        raised = name, least = fit;
    if (least == 0)
      for (const auto& [name, range] : plan.range)
        if (dims[name] < range.second) raised = name, least = range.second;
    if (least == 0) return;
    dims[raised] = least;
    plan.range[raised].first = static_cast<int32_t>(least);
  }
}

}  // namespace

// Convolutions without padding and slices that leave out the first tokens need inputs of a smallest size, because the runtime
// has no empty tensors: found by bisection, the other dims at their maximum.
void find_minima(const Graph& g, DimPlan& plan) {
  std::map<std::string, int64_t> dims;
  std::string maxima;
  for (const auto& [name, range] : plan.range) {
    dims[name] = range.second;
    maxima += (maxima.empty() ? "" : ", ") + name + "=" + std::to_string(range.second);
  }
  if (const Node* n = first_misfit(g, dims)) {
    const std::string sizes = maxima.empty() ? "the model's own sizes" : "the maxima " + maxima;
    refuse_maxima(g, plan, sizes + " leave " + n->origin.op_type + " '" + printable(n->origin.node) + "' of the model too little to work on; ");
  }
  for (auto& [name, range] : plan.range) {
    const auto least = plan.least.find(name);
    dims[name] = range.first = least == plan.least.end() ? static_cast<int32_t>(multiple_of_dim(name)) : least->second;
    if (!sizes_fit(g, dims)) range.first = static_cast<int32_t>(smallest_fit(g, dims, name, range.first, range.second));
    dims[name] = range.second;
  }
  raise_together(g, plan);
}

namespace {

// A model that pads to a size of its own, or slices by one, works on shorter inputs only: the largest value of a dim that leaves every
// operator something, the others at their maximum. 0: none does.
int64_t largest_fit(const Graph& g, const DimPlan& plan, const std::string& name) {
  std::map<std::string, int64_t> dims;
  for (const auto& [other, range] : plan.range) dims[other] = range.second;
  const auto fits = [&](int64_t n) {
    dims[name] = n;
    return sizes_fit(g, dims);
  };
  int64_t fit = 0, too_large = plan.range.at(name).second;
  for (int64_t n = 1; n < too_large; n *= 2)
    if (fits(n)) fit = n;
  if (fit == 0) return 0;
  if (fit * 2 < too_large) too_large = fit * 2;
  while (too_large - fit > 1) {
    const int64_t middle = fit + (too_large - fit) / 2;
    (fits(middle) ? fit : too_large) = middle;
  }
  return fit - fit % multiple_of_dim(name);
}

}  // namespace

void find_maxima(const Graph& g, const std::map<std::string, int64_t>& requested, DimPlan& plan) {
  std::map<std::string, int64_t> dims;
  for (const auto& [name, range] : plan.range) dims[name] = range.second;
  if (sizes_fit(g, dims)) return;
  for (auto& [name, range] : plan.range) {
    const int64_t fit = largest_fit(g, plan, name);
    if (fit == 0) continue;
    if (requested.count(name))
      throw FatalError(
          ExitCode::kUsage,
          "--dim " + name + "=" + std::to_string(range.second) +
              ": the model pads to a fixed size or slices by one, and leaves an operator without elements there (the runtime "
              "has no empty tensors); give at most " +
              std::to_string(fit));
    range.second = static_cast<int32_t>(fit);
    plan.table_limit[name] = fit;
    return;
  }
}

}  // namespace edgeconv
