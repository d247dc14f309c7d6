// See index_origin.h.
#include "convert/dims/index_origin.h"

#include <algorithm>

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
    const IndexOrigin o = index_origin(g, indices);
    if (!is_input(g, o.value) || o.offset != 0 || o.scaled || is_float(g.value(o.value).dtype)) continue;
    std::vector<DimExpr>& sizes = found[o.value];
    const DimExpr& size = (*data.shape)[static_cast<size_t>(at)];
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return found;
}

}  // namespace edgeconv
