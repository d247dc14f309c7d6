// See index_origin.h.
#include "convert/dims/index_origin.h"

#include <algorithm>
#include <optional>

#include "convert/ir/axis.h"

namespace edgeconv {

namespace {

constexpr int kMostSteps = 16;

bool is_input(const Graph& g, ValueId v) { return std::find(g.inputs.begin(), g.inputs.end(), v) != g.inputs.end(); }

// Indices of n, and the axis of its first input that they count along; kNone where it has none.
std::pair<ValueId, int64_t> indexing(const Graph& g, const Node& n) {
  switch (n.kind) {
    case OpKind::kGather:
    case OpKind::kGatherElements: return {n.in(1), n.as<AxisAttrs>().axis};
    case OpKind::kScatterElements: return {n.in(1), n.as<ScatterAttrs>().axis};
    case OpKind::kGatherND:
    case OpKind::kScatterND: {
      // Positions of one number; of more, each would be along an axis of its own.
      const Value& positions = g.value(n.in(1));
      const bool single = positions.shape && !positions.shape->empty() && positions.shape->back() == DimExpr(1);
      const int64_t axis = n.kind == OpKind::kGatherND ? n.as<GatherNDAttrs>().batch_dims : 0;
      return {single ? n.in(1) : kNone, axis};
    }
    default: return {kNone, 0};
  }
}

int64_t largest(const Tensor& t) {
  const std::vector<int64_t> all = t.to_int64();
  return *std::max_element(all.begin(), all.end());
}

// first + 0, 1, .., as positions in a cache are: the first one, and how far the others reach beyond it.
struct Positions {
  ValueId first;
  DimExpr reach;
};

std::optional<DimExpr> reach_of_range(const Graph& g, ValueId v) {
  const Node* p = g.producer(v);
  for (int step = 0; p && step < kMostSteps && (p->kind == OpKind::kCast || only_reshapes(p->kind)); ++step) p = g.producer(p->in(0));
  if (!p || p->kind != OpKind::kRange) return {};
  const auto &start = g.value(p->in(0)).elements, &limit = g.value(p->in(1)).elements, &by = g.value(p->in(2)).elements;
  const bool counts = start && limit && by && start->size() == 1 && limit->size() == 1 && by->size() == 1 && start->at(0) == DimExpr(0) && by->at(0) == DimExpr(1);
  return counts ? std::optional(limit->at(0) - DimExpr(1)) : std::nullopt;
}

std::optional<Positions> positions_from(const Graph& g, ValueId v) {
  const Node* p = g.producer(v);
  if (!p || p->kind != OpKind::kBinary || p->as<BinaryAttrs>().kind != ert::params::binary::kAdd) return {};
  for (size_t side = 0; side < 2; ++side)
    if (const auto reach = reach_of_range(g, p->in(side))) return Positions{p->in(1 - side), *reach};
  return {};
}

}  // namespace

IndexOrigin index_origin(const Graph& g, ValueId indices) {
  IndexOrigin o{indices};
  for (int step = 0; step < kMostSteps; ++step) {
    if (is_input(g, o.value)) break;
    const Node* p = g.producer(o.value);
    if (!p) break;
    if (p->kind == OpKind::kCumSum || p->kind == OpKind::kRange) {
      o.computed = true;
      break;
    }
    if (p->kind == OpKind::kBinary && p->as<BinaryAttrs>().kind == ert::params::binary::kAdd) {
      const int side = g.value(p->in(1)).constant ? 1 : g.value(p->in(0)).constant ? 0 : -1;
      if (side < 0) break;
      const Tensor& t = *g.value(p->in(static_cast<size_t>(side))).constant;
      if (t.elements() == 1 && is_integer(t.dtype())) o.offset += t.to_int64()[0];
      if (t.elements() > 1 && is_integer(t.dtype())) o.reach += largest(t);
      o.value = p->in(static_cast<size_t>(1 - side));
      continue;
    }
    if (p->kind == OpKind::kBinary && p->as<BinaryAttrs>().kind == ert::params::binary::kMul) {
      o.value = p->in(0) == kNone || g.value(p->in(0)).constant ? p->in(1) : p->in(0);
      o.scaled = true;
      continue;
    }
    if (p->kind == OpKind::kSlice || (p->kind == OpKind::kGather && g.value(p->in(1)).constant)) {
      o.part = true;
      o.value = p->in(0);
      continue;
    }
    if (p->kind != OpKind::kCast && p->kind != OpKind::kExpand && !only_reshapes(p->kind)) break;
    o.value = p->in(0);
  }
  return o;
}

std::map<ValueId, std::vector<DimExpr>> indexed_axes(const Graph& g) {
  std::map<ValueId, std::vector<DimExpr>> found;
  for (const Node& n : g.nodes) {
    if (n.dead || n.inputs.size() < 2 || n.in(0) == kNone || n.in(1) == kNone) continue;
    const Value& data = g.value(n.in(0));
    const auto [indices, axis] = indexing(g, n);
    if (indices == kNone || g.value(indices).constant || (data.constant && n.kind == OpKind::kGather) || !data.shape) continue;
    const auto rank = static_cast<int64_t>(data.shape->size());
    const int64_t at = from_front(axis, rank);
    if (at < 0 || at >= rank) continue;
    IndexOrigin o = index_origin(g, indices);
    DimExpr reach(o.reach);
    if (const auto p = positions_from(g, o.value); p && o.offset == 0 && !o.scaled) {
      o = index_origin(g, p->first);
      reach = reach + p->reach + DimExpr(o.reach);
    }
    if (!is_input(g, o.value) || o.offset != 0 || o.scaled || is_float(g.value(o.value).dtype)) continue;
    std::vector<DimExpr>& sizes = found[o.value];
    const DimExpr size = (*data.shape)[static_cast<size_t>(at)] - reach;
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return found;
}

}  // namespace edgeconv
