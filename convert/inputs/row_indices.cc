// See row_indices.h.
#include "convert/inputs/row_indices.h"

#include <algorithm>

#include "convert/ir/axis.h"

namespace edgeconv {

bool indices_cross_rows(const Graph& g, const std::string& rows) {
  const auto counts_rows = [&](ValueId v, int64_t axis) {
    const Value& data = g.value(v);
    if (data.constant || !data.shape || data.shape->empty()) return false;
    const std::vector<std::string> names = (*data.shape)[axis_index(axis, data.shape->size())].symbols();
    return std::find(names.begin(), names.end(), rows) != names.end();
  };
  for (const Node& n : g.nodes) {
    if (n.dead || n.in(0) == kNone || n.in(1) == kNone || g.value(n.in(1)).constant || g.value(n.in(1)).elements) continue;
    if ((n.kind == OpKind::kGather || n.kind == OpKind::kGatherElements) && counts_rows(n.in(0), n.as<AxisAttrs>().axis))
      return true;
    if (n.kind == OpKind::kGatherND && n.as<GatherNDAttrs>().batch_dims == 0 && counts_rows(n.in(0), 0) &&
        std::find(g.inputs.begin(), g.inputs.end(), n.in(1)) != g.inputs.end())
      return true;
  }
  return false;
}

}  // namespace edgeconv
