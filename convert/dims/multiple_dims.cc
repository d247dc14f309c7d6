// See multiple_dims.h. The equalities of one dim are judged together: two levels of a U-Net want h = 2 floor(h / 2) and
// floor(h / 2) = 2 floor(h / 4), of which the second one alone holds for 1, 4, 5, 8, 9 too.
#include "convert/dims/multiple_dims.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "convert/dims/size_equalities.h"
#include "convert/infer/infer.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

using Dims = std::map<std::string, int64_t>;
using Steps = std::map<std::string, int64_t>;

// Of one dim; and what the others are meanwhile: multiples of whatever they may have to be multiples of.
constexpr int64_t kSizes = 512, kOtherSizes = 128 * 9 * 5;

std::set<std::string> names_of(const SizeEquality& e) {
  std::set<std::string> names;
  for (const DimExpr& side : {e.lhs, e.rhs})
    for (const std::string& name : side.symbols()) names.insert(name);
  return names;
}

// What holds for no large sizes at all is another thing than a multiple: a slice of a table, or a frozen size.
std::vector<SizeEquality> possible_equalities(const Graph& g) {
  std::vector<SizeEquality> possible;
  std::set<std::pair<DimExpr, DimExpr>> seen;
  for (const SizeEquality& e : g.equalities) {
    if (!seen.emplace(e.lhs, e.rhs).second) continue;
    Dims even, odd;
    int64_t times = 1;
    for (const std::string& name : names_of(e)) {
      even[name] = kOtherSizes;
      odd[name] = kOtherSizes * (1 + times++ % 3);
    }
    if (!even.empty() && holds(e, even) && holds(e, odd)) possible.push_back(e);
  }
  return possible;
}

// An equality of a dim and others, with sizes of the others for which it can hold.
struct Condition {
  const SizeEquality* equality;
  Dims dims;
};

bool is_met(Condition& c, const std::string& dim, int64_t size) {
  c.dims[dim] = size;
  return holds(*c.equality, c.dims);
}

// Those that do not hold for all sizes of the dim. Most equalities do, though no algebra shows it, and there may be thousands: few sizes tell.
std::vector<Condition> conditions_of(const std::string& dim, int64_t named, const std::vector<SizeEquality>& all) {
  std::vector<Condition> conditions;
  for (const SizeEquality& e : all) {
    Condition c{&e, {}};
    for (const std::string& name : names_of(e)) c.dims[name] = kOtherSizes;
    if (c.dims.count(dim) == 0) continue;
    bool always = true;
    for (const int64_t times : {1, 2, 3, 5, 6, 7}) always = always && is_met(c, dim, times * named);
    if (!always) conditions.push_back(std::move(c));
  }
  return conditions;
}

// What the dim must be a multiple of so that all equalities hold, at least what its name says; `reason`: one that needs more than that, or nullptr.
int64_t step_of(const std::string& dim, const std::vector<SizeEquality>& all, const SizeEquality*& reason) {
  const int64_t named = multiple_of_dim(dim);
  std::vector<Condition> conditions = conditions_of(dim, named, all);
  reason = nullptr;
  if (conditions.empty()) return named;
  std::vector<int64_t> good, bad;
  for (int64_t n = named; n <= kSizes; n += named) {
    const bool fits = std::all_of(conditions.begin(), conditions.end(), [&](Condition& c) { return is_met(c, dim, n); });
    (fits ? good : bad).push_back(n);
  }
  const int64_t step = common_step(good, bad);
  if (step <= named) return named;
  reason = conditions.front().equality;
  return step;
}

// Whether e holds for small and large multiples of all its dims, none of which goes with the others.
bool holds_for_multiples(const SizeEquality& e, const Steps& steps) {
  const std::set<std::string> names = names_of(e);
  const std::function<bool(std::set<std::string>::const_iterator, Dims&)> all = [&](auto at, Dims& dims) {
    if (at == names.end()) return holds(e, dims);
    const auto step = steps.find(*at);
    for (const int64_t times : {1, 2, 3, 7, 64}) {
      dims[*at] = times * (step == steps.end() ? multiple_of_dim(*at) : step->second);
      if (!all(std::next(at), dims)) return false;
    }
    return true;
  };
  constexpr size_t kMostDims = 5;
  Dims dims;
  return names.size() <= kMostDims && all(names.begin(), dims);
}

std::string multiple_name(const std::string& dim, int64_t step) {
  const size_t times = multiple_of_dim(dim) > 1 ? dim.find('*') + 1 : 0;
  return std::to_string(step) + "*" + dim.substr(times);
}

void rename_dim(Graph& g, const std::string& from, const std::string& to) {
  const std::map<std::string, DimExpr> with{{from, DimExpr::symbol(to)}};
  for (Value& v : g.values)
    for (std::vector<DimExpr>* sizes : {v.shape ? &*v.shape : nullptr, v.elements ? &*v.elements : nullptr})
      if (sizes != nullptr)
        for (DimExpr& e : *sizes)
          if (!e.is_constant()) e = e.substitute(with);
  for (auto& [name, sum] : g.summed_dims) sum = sum.substitute(with);
  for (auto* sizes : {&g.least_dims, &g.most_dims, &g.unrolled_dims})
    if (auto entry = sizes->extract(from)) {
      entry.key() = to;
      sizes->insert(std::move(entry));
    }
  for (auto& [other, name] : g.same_dims)
    if (name == from) name = to;
  g.same_dims[from] = to;
}

std::set<std::string> all_names(const Graph& g) {
  std::set<std::string> names;
  for (const Value& v : g.values)
    if (v.shape)
      for (const DimExpr& e : *v.shape)
        for (const std::string& name : e.symbols()) names.insert(name);
  for (const auto& [name, same] : g.same_dims) names.insert({name, same});
  for (const auto& [name, sum] : g.summed_dims) names.insert(name);
  return names;
}

// Named axes of inputs that may become multiples. Only what can be the name of one (`2*h`) is among them.
std::set<std::string> open_dims(const Graph& g) {
  std::set<std::string> open, leading;
  for (const ValueId in : g.inputs) {
    const auto& shape = g.value(in).shape;
    for (size_t axis = 0; shape && axis < shape->size(); ++axis) {
      if (!(*shape)[axis].is_symbol()) continue;
      const std::string& name = (*shape)[axis].symbol_name();
      if (axis == 0) leading.insert(name);
      if (multiple_of_dim(multiple_name(name, 2)) == 2) open.insert(name);
    }
  }
  for (const std::string& name : leading) open.erase(name);
  return open;
}

}  // namespace

void name_multiples(Graph& g, Diagnostics& d) {
  if (g.equalities.empty()) return;
  const std::vector<SizeEquality> possible = possible_equalities(g);
  Steps steps;
  std::map<std::string, SizeEquality> reasons;
  const std::set<std::string> taken = all_names(g);
  for (const std::string& dim : open_dims(g)) {
    const SizeEquality* reason = nullptr;
    const int64_t step = step_of(dim, possible, reason);
    if (reason == nullptr || taken.count(multiple_name(dim, step)) != 0) continue;  // another dim is called so
    steps[dim] = step;
    reasons.emplace(dim, *reason);
  }
  for (auto it = steps.begin(); it != steps.end();) {
    const bool proven = std::all_of(possible.begin(), possible.end(), [&](const SizeEquality& e) {
      return names_of(e).count(it->first) == 0 || holds_for_multiples(e, steps);
    });
    it = proven ? std::next(it) : steps.erase(it);
  }
  if (steps.empty()) return;
  for (const auto& [dim, step] : steps) {
    const SizeEquality& e = reasons.at(dim);
    const std::string name = multiple_name(dim, step);
    d.warn("dim '" + printable(dim) + "' is taken in multiples of " + std::to_string(step) + ", as '" + printable(name) + "': " + e.origin.op_type + " '" +
           e.origin.node + "' has sizes " + e.lhs.str() + " and " + e.rhs.str() +
           ", which are not equal otherwise" +
           (e.origin.op_type == "Reshape" ? ". If the model takes any size, its exporter froze one: re-export with dynamo=True" : ""));
    rename_dim(g, dim, name);
  }
  infer(g, d);
}

}  // namespace edgeconv
