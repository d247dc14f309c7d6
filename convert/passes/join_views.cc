// A Concat whose parts are views of one tensor, which take it apart along an axis in order and are otherwise alike, is a view of the whole: the two
// directions of a recurrent layer that an exporter selects to put them side by side (Keras), a Split whose parts are put together again.
#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/passes/view_layout.h"

namespace edgeconv {

namespace {

// How many elements of a source axis the view has.
DimExpr extent(const ViewLayout& l, size_t axis) {
  DimExpr size = 1;
  for (const Atom& a : l.flat())
    if (static_cast<size_t>(a.axis) == axis) size = size * a.size;
  return size;
}

// The source axis that part 1 has other elements of than part 0; none if that is not one axis.
std::optional<size_t> axis_apart(const ViewLayout& a, const ViewLayout& b) {
  std::optional<size_t> apart;
  for (size_t axis = 0; axis < a.first.size(); ++axis) {
    if (a.first[axis] == b.first[axis]) continue;
    if (apart) return {};
    apart = axis;
  }
  return apart;
}

// The view of the whole source that the parts of a Concat along `axis` are.
std::optional<ViewLayout> whole_of(const std::vector<ViewLayout>& parts, size_t axis) {
  const ViewLayout& l = parts[0];
  const std::optional<size_t> apart = axis_apart(l, parts[1]);
  if (!apart || axis >= l.axes.size()) return {};
  const DimExpr step = extent(l, *apart);
  const auto count = static_cast<int64_t>(parts.size());
  ViewLayout at = l;
  for (const ViewLayout& part : parts) {
    if (part.source != l.source || part.axes != l.axes || part.first != at.first) return {};
    at.first[*apart] = at.first[*apart] + step;
  }
  ViewLayout whole = l;
  whole.axes[axis].insert(whole.axes[axis].begin(), {static_cast<int>(*apart), step, count});
  for (size_t i = 0; i < whole.first.size(); ++i)
    if (whole.first[i] != DimExpr(0) || extent(whole, i) != whole.source_shape[i]) return {};
  return whole;
}

}  // namespace

int pass_join_views(Graph& g, Diagnostics&) {
  int changed = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const Node& n = g.nodes[i];
    if (n.dead || n.kind != OpKind::kConcat || n.inputs.size() < 2) continue;
    const ValueId out = n.outputs[0];
    if (!g.value(out).shape || g.value(out).elements) continue;
    std::vector<ViewLayout> parts;
    for (const ValueId v : n.inputs) {
      if (!g.value(v).shape || g.value(v).rank() != g.value(out).rank()) break;
      parts.push_back(trace_view(g, v, true));
      if (parts.back().source == v || parts.back().source != parts[0].source) break;
    }
    if (parts.size() != n.inputs.size() || parts.back().source != parts[0].source) continue;
    const auto rank = static_cast<size_t>(g.value(out).rank());
    const std::optional<ViewLayout> whole = whole_of(parts, axis_index(n.as<AxisAttrs>().axis, rank));
    if (!whole) continue;
    build_view(g, whole->source, *whole, out, Origin(n.origin));
    ++changed;
  }
  return changed;
}

}  // namespace edgeconv
