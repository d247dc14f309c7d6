// See size_equalities.h. An equality of one dim is evaluated for every size (samples of very large ranges); one of several dims for
// every size of one of them, with samples of the others.
#include "convert/dims/size_equalities.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

using Range = std::pair<int32_t, int32_t>;
using Ranges = std::map<std::string, Range>;
using Dims = std::map<std::string, int64_t>;

constexpr int64_t kAllSizes = 4096,
                  kFewerSizes = 512;  // larger ranges are tried out up to here, and at their ends; of several dims
constexpr size_t kMostCombinations = 4096;

// Sizes that the dim can have (dim_multiple.h).
std::vector<int64_t> all_sizes(const std::string& name, const Range& r, int64_t most) {
  const int64_t step = multiple_of_dim(name), first = size_at_least(name, r.first);
  std::vector<int64_t> sizes;
  for (int64_t n = first; n <= std::min<int64_t>(r.second, first + most * step); n += step) sizes.push_back(n);
  const int64_t last = size_at_most(name, r.second);
  for (int64_t n = std::max(sizes.empty() ? first : sizes.back() + step, last - 64 * step); n <= last; n += step) sizes.push_back(n);
  return sizes;
}

std::vector<int64_t> some_sizes(const std::string& name, const Range& r) {
  const int64_t step = multiple_of_dim(name);
  std::set<int64_t> sizes;
  for (int64_t n : {int64_t{r.first}, r.first + step, r.first + 2 * step, r.first + 6 * step, int64_t{r.second} / 2, r.second - step, int64_t{r.second}})
    sizes.insert(size_at_most(name, std::clamp<int64_t>(n, r.first, r.second)));
  return {sizes.begin(), sizes.end()};
}

// Calls f with every combination of samples of the dims but `but`; false as soon as f gives false.
bool for_samples(const std::vector<std::string>& names, const std::string& but, const Ranges& range, Dims& dims,
                 const std::function<bool()>& f, size_t at = 0) {
  if (at == names.size()) return f();
  if (names[at] == but) return for_samples(names, but, range, dims, f, at + 1);
  for (int64_t n : some_sizes(names[at], range.at(names[at]))) {
    dims[names[at]] = n;
    if (!for_samples(names, but, range, dims, f, at + 1)) return false;
  }
  return true;
}

struct Trial {
  std::vector<int64_t> good, bad;
};

Trial try_dim(const SizeEquality& e, const std::vector<std::string>& names, const std::string& name, const Ranges& range) {
  Trial t;
  Dims dims;
  for (int64_t n : all_sizes(name, range.at(name), names.size() == 1 ? kAllSizes : kFewerSizes)) {
    dims[name] = n;
    (for_samples(names, name, range, dims, [&] { return holds(e, dims); }) ? t.good : t.bad).push_back(n);
  }
  return t;
}

// others: whether more dims decide.
std::string sizes_str(const std::string& name, const std::vector<int64_t>& good, int64_t step, const Range& tried, bool others) {
  if (good.empty())
    return "for no " + name + " from " + std::to_string(tried.first) + " to " + std::to_string(tried.second) +
           (others ? " whatever the other sizes are" : "");
  if (step > 1) return "only where " + name + " is a multiple of " + std::to_string(step);
  std::string s = "only for " + name + " = ";
  for (size_t i = 0; i < std::min<size_t>(good.size(), 4); ++i) s += (i > 0 ? ", " : "") + std::to_string(good[i]);
  return s + (good.size() > 4 ? ", .." : "");
}

// An equality that does not hold for all sizes: of the dim that it holds best for, those for which it does whatever the other dims are.
struct Refused {
  SizeEquality equality;
  std::vector<std::string> names;
  std::string name;
  std::vector<int64_t> good;
  int64_t step;  // common_step
};

// The largest size of `name` with which e holds, the other dims being as they are.
std::optional<int64_t> largest_that_holds(const SizeEquality& e, const std::string& name, const Range& range, Dims dims) {
  const std::vector<int64_t> sizes = all_sizes(name, range, kFewerSizes);
  for (auto n = sizes.rbegin(); n != sizes.rend(); ++n) {
    dims[name] = *n;
    if (holds(e, dims)) return *n;
  }
  return {};
}

// One size for each dim that has to be pinned so that all equalities hold: the largest ones. Empty if none was found.
Dims pins(const std::vector<Refused>& refused, const Ranges& range) {
  std::map<std::string, std::vector<int64_t>> left;
  for (const Refused& r : refused) {
    if (r.good.empty()) continue;
    const auto [at, first] = left.emplace(r.name, r.good);
    if (first) continue;
    std::vector<int64_t> both;
    std::set_intersection(at->second.begin(), at->second.end(), r.good.begin(), r.good.end(), std::back_inserter(both));
    at->second = both;
  }
  Dims pinned, all;
  for (const auto& [name, sizes] : left) {
    if (sizes.empty()) return {};
    pinned[name] = sizes.back();
  }
  // No size of one dim suits all of the others: all of them are pinned.
  for (const Refused& r : refused) {
    all = pinned;
    for (const std::string& name : r.names) all.emplace(name, range.at(name).second);
    if (!r.good.empty()) continue;
    const auto open = std::find_if(r.names.begin(), r.names.end(), [&](const std::string& n) { return pinned.count(n) == 0; });
    if (open != r.names.end()) {
      const auto n = largest_that_holds(r.equality, *open, range.at(*open), all);
      if (!n) return {};
      all[*open] = *n;
    }
    pinned = all;
  }
  for (const Refused& r : refused) {
    all = pinned;
    for (const std::string& name : r.names) all.emplace(name, range.at(name).second);
    if (!holds(r.equality, all)) return {};
  }
  return pinned;
}

// A dim and its smallest size above all that were tried with which r.equality holds whatever the other dims are, as "x = 8"; empty: none
// is near.
std::string larger_that_holds(const Refused& r, const Ranges& range) {
  for (const std::string& name : r.names) {
    Dims dims;
    const int64_t most = range.at(name).second;
    for (int64_t n = size_at_least(name, most + 1); n <= most + kFewerSizes; n += multiple_of_dim(name)) {
      dims[name] = n;
      if (for_samples(r.names, name, range, dims, [&] { return holds(r.equality, dims); })) return name + " = " + std::to_string(n);
    }
  }
  return "";
}

Problem problem(const Refused& r, const Dims& pinned, const Ranges& range) {
  const SizeEquality& e = r.equality;
  const std::string sides = e.lhs.str() + " and " + e.rhs.str();
  std::string hint = "re-export with dynamo=True, or with that axis fixed", options;
  for (const auto& [name, n] : pinned) options += " --fix " + shell_word(name + "=" + std::to_string(n));
  if (!options.empty()) hint = "pin it:" + options + "; or " + hint;
  hint = "the exporter froze a size that is declared dynamic: " + hint;
  if (r.step > 1)
    hint = (options.empty() ? "" : "pin it:" + options + "; or ") + "re-export with dynamo=True and the axis as " + std::to_string(r.step) +
           "*torch.export.Dim(..), which is any multiple";
  if (r.good.empty() && options.empty())
    if (const std::string larger = larger_that_holds(r, range); !larger.empty())
      hint = "they are with " + larger + ": give a larger maximum by --dim";
  return {e.origin.op_type, e.origin.node + (e.origin.scope.empty() ? "" : " (torch: " + e.origin.scope + ")"), "",
          "sizes " + sides + " must be equal (" + e.what + "), which they are " +
              sizes_str(r.name, r.good, r.step, range.at(r.name), r.names.size() > 1),
          hint};
}

// The sizes up to the largest one that all are good: a small input that leaves a Slice nothing can be good by itself, far below the sizes that
// the model is for.
std::optional<Range> good_up_to_largest(const Trial& t) {
  if (t.good.empty() || (!t.bad.empty() && t.bad.back() > t.good.back())) return {};
  const auto first = t.bad.empty() ? t.good.begin() : std::upper_bound(t.good.begin(), t.good.end(), t.bad.back());
  return Range{static_cast<int32_t>(*first), static_cast<int32_t>(t.good.back())};
}

// The range to which one dim can be narrowed by what was tried; nullopt: none.
std::optional<Range> narrowed(const Trial& t) {
  const bool one_range = !t.good.empty() && std::none_of(t.bad.begin(), t.bad.end(),
                                                         [&](int64_t n) { return n > t.good.front() && n < t.good.back(); });
  // A single size is no range of sizes: the file froze it, and the user should know.
  if (one_range && t.good.size() > 1) return Range{static_cast<int32_t>(t.good.front()), static_cast<int32_t>(t.good.back())};
  const auto upper = good_up_to_largest(t);
  return upper && upper->first <= upper->second / 2 ? upper : std::nullopt;
}

// Narrows one dim so that e holds; otherwise says for which sizes it does. Of several dims that could be narrowed the one that keeps
// most of its largest size: a text recognizer for lines 33 to 80 high takes any width, and lines of any height only 4 columns of it.
std::optional<Refused> narrow(const SizeEquality& e, const std::vector<std::string>& names, Ranges& range) {
  std::optional<Refused> best;
  std::string chosen;
  Range to;
  double most_kept = 0;
  for (const std::string& name : names) {
    const Trial t = try_dim(e, names, name, range);
    if (t.bad.empty()) return {};
    if (const auto r = narrowed(t)) {
      const double kept = static_cast<double>(r->second) / range.at(name).second;
      if (kept > most_kept) {
        most_kept = kept;
        chosen = name;
        to = *r;
      }
    }
    if (!best || t.good.size() > best->good.size()) best = Refused{e, names, name, t.good, common_step(t.good, t.bad)};
  }
  if (chosen.empty()) return best;
  range.at(chosen) = to;
  return {};
}

}  // namespace

bool holds(const SizeEquality& e, const Dims& dims) {
  const auto a = e.lhs.evaluate(dims), b = e.rhs.evaluate(dims);
  return a && b && *a == *b;
}

// A map is halved and doubled again.
int64_t common_step(const std::vector<int64_t>& good, const std::vector<int64_t>& bad) {
  if (good.size() < 2) return 1;
  int64_t step = 0;
  for (int64_t n : good) step = std::gcd(step, n);
  return step > 1 && std::none_of(bad.begin(), bad.end(), [&](int64_t n) { return n % step == 0; }) ? step : 1;
}

void narrow_to_equalities(const Graph& g, Ranges& range) {
  std::vector<Refused> refused;
  std::set<std::pair<DimExpr, DimExpr>> tried;  // layers repeat each other's
  for (const SizeEquality& e : g.equalities) {
    if (!tried.emplace(e.lhs, e.rhs).second) continue;
    std::set<std::string> both;
    for (const DimExpr& side : {e.lhs, e.rhs})
      for (const std::string& name : side.symbols()) both.insert(name);
    const std::vector<std::string> names(both.begin(), both.end());
    // Sizes that depend on data are reported where they come from.
    const bool known = std::all_of(names.begin(), names.end(), [&](const std::string& n) { return range.count(n) != 0; });
    if (!known || names.empty()) continue;
    size_t combinations = 1;
    for (size_t i = 1; i < names.size(); ++i) combinations *= 7;
    if (combinations > kMostCombinations) continue;
    if (const auto r = narrow(e, names, range)) refused.push_back(*r);
  }
  const Dims pinned = pins(refused, range);
  Diagnostics d;
  for (const Refused& r : refused) d.unsupported(problem(r, pinned, range));
  d.check();
}

}  // namespace edgeconv
