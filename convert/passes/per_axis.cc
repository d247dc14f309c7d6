#include "convert/passes/per_axis.h"

#include <algorithm>

#include "convert/ir/axis.h"

namespace edgeconv {

std::optional<std::vector<DimExpr>> integers(const Graph& g, ValueId v) {
  if (v == kNone) return {};
  if (g.value(v).elements) return g.value(v).elements;
  if (!g.value(v).constant || !is_integer(g.value(v).dtype)) return {};
  std::vector<DimExpr> all;
  for (int64_t i : g.value(v).constant->to_int64()) all.emplace_back(i);
  return all;
}

std::optional<std::vector<DimExpr>> per_axis(const Graph& g, ValueId numbers, ValueId axes, size_t rank, size_t part) {
  const auto all = integers(g, numbers), named = integers(g, axes);
  if (!all || (axes != kNone && !named)) return {};
  const size_t count = named ? named->size() : part == 0 ? std::min(all->size(), rank) : rank;
  std::vector<DimExpr> result(rank, DimExpr(0));
  for (size_t i = 0; i < count; ++i) {
    const auto axis = named ? (*named)[i].constant() : std::optional<int64_t>(static_cast<int64_t>(i));
    if (!axis || part * count + i >= all->size()) return {};
    const int64_t at = from_front(*axis, static_cast<int64_t>(rank));
    if (at < 0 || at >= static_cast<int64_t>(rank)) return {};
    result[static_cast<size_t>(at)] = (*all)[part * count + i];
  }
  return result;
}

bool steps_of_one(const Graph& g, const Node& slice) {
  if (slice.in(4) == kNone) return true;
  const auto steps = integers(g, slice.in(4));
  return steps && std::all_of(steps->begin(), steps->end(), [](const DimExpr& s) { return s == DimExpr(1); });
}

std::optional<Crop> crop_of(const Graph& g, const Node& slice) {
  const auto &whole = g.value(slice.in(0)).shape, &part = g.value(slice.outputs[0]).shape;
  if (!whole || !part || !steps_of_one(g, slice)) return {};
  const auto start = per_axis(g, slice.in(1), slice.in(3), whole->size(), 0);
  if (!start) return {};
  Crop crop;
  for (size_t i = 0; i < whole->size(); ++i) {
    const auto first = (*start)[i].constant();
    if (!first || *first < 0) return {};
    crop.front.push_back(*first);
    crop.behind.push_back((*whole)[i] - DimExpr(*first) - (*part)[i]);
  }
  return crop;
}

}  // namespace edgeconv
